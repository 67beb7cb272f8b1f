// The order of the passes: the one place that knows it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Pipelines.h"

#include "Tilus/Compiler/Passes.h"
#include "Tilus/Conversion/Passes.h"
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tilus;

/// Adds a pass where it runs: kernels, if it is one on kernels.
static void addPass(OpPassManager &manager, std::unique_ptr<Pass> pass) {
  if (pass->getOpName() && *pass->getOpName() == KernelOp::getOperationName())
    manager.addNestedPass<KernelOp>(std::move(pass));
  else
    manager.addPass(std::move(pass));
}

/// Checks what the passes so far promise.
static void addPhaseCheck(OpPassManager &manager, const CompileOptions &options, StringRef phase) {
  if (options.verifyPhases)
    addPass(manager, createVerifyPhasePass({phase.str()}));
}

static void addCleanup(OpPassManager &manager) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

void tilus::buildTilePipeline(OpPassManager &manager, const CompileOptions &options) {
  // Who looks at the stages wants to know why they are so.
  bool hasRemarks = !options.dumpFolder.empty();
  addPass(manager, createFoldTargetPass());
  addPass(manager, createVerifyTargetPass());
  addPass(manager, createExpandSlicesPass());
  addCleanup(manager);
  addPass(manager, createSimplifyBoundsPass());
  addPass(manager, createMarkReadOnlyPass());
  addPass(manager, createInferLayoutsPass({hasRemarks}));
  addCleanup(manager);
  addPhaseCheck(manager, options, "layouts");
  addPass(manager, createSelectAtomsPass({hasRemarks}));
  addPhaseCheck(manager, options, "atoms");
  addPass(manager, createPlanSharedMemoryPass({hasRemarks}));
  addPass(manager, createInsertFencesPass({hasRemarks}));
  addPhaseCheck(manager, options, "memory");
}

void tilus::buildNVVMPipeline(OpPassManager &manager, const CompileOptions &options) {
  // Behind all choices, which are the same for each round.
  addPass(manager, createUnrollLoopsPass());
  addPass(manager, createConvertTilusToNVVMPass({options.fastMath}));
  OpPassManager &modules = manager.nest<gpu::GPUModuleOp>();
  // What is equal is converted once; all else is left to LLVM, which is faster at it.
  modules.addPass(createCSEPass());
  modules.addPass(createLowerThreadsPass());
  modules.addPass(createReconcileUnrealizedCastsPass());
  if (options.lineInfo)
    manager.addPass(LLVM::createDIScopeForLLVMFuncOpPass({LLVM::DIEmissionKind::DebugDirectivesOnly}));
}

void tilus::buildTilusToNVVMPipeline(OpPassManager &manager, const CompileOptions &options) {
  buildTilePipeline(manager, options);
  buildNVVMPipeline(manager, options);
}

std::string tilus::getTilusToNVVMPipelineText(const CompileOptions &options) {
  OpPassManager manager(ModuleOp::getOperationName());
  CompileOptions plain = options;
  plain.dumpFolder.clear();
  buildTilusToNVVMPipeline(manager, plain);
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  return text;
}

std::string tilus::getEmitBinaryPipelineText(StringRef chip, const CompileOptions &options) {
  EmitBinaryPassOptions emit;
  emit.targets.push_back(chip.str());
  emit.emitCubin = options.emitCubin;
  emit.assembler = getAssemblerName(options.assembler).str();
  emit.optLevel = options.optLevel;
  emit.fastMath = options.fastMath;
  emit.lineInfo = options.lineInfo;
  OpPassManager manager(ModuleOp::getOperationName());
  manager.addPass(createEmitBinaryPass(emit));
  std::string text;
  llvm::raw_string_ostream stream(text);
  manager.printAsTextualPipeline(stream);
  return text;
}

namespace {
struct NVVMPipelineOptions : PassPipelineOptions<NVVMPipelineOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("the chip; the module's own if not given")};
  Option<bool> fastMath{*this, "fast-math",
                        llvm::cl::desc("approximate division, square root and functions")};
  Option<bool> lineInfo{*this, "line-info", llvm::cl::desc("keep what line tables are made of")};
};

struct BinaryPipelineOptions : PassPipelineOptions<BinaryPipelineOptions> {
  ListOption<std::string> targets{*this, "targets", llvm::cl::desc("the chips; the module's own if none")};
  Option<std::string> handler{*this, "handler",
                              llvm::cl::desc("who launches: dispatch; MLIR's own if not given")};
  Option<std::string> assembler{*this, "assembler", llvm::cl::desc("auto, nvjitlink or ptxas"),
                                llvm::cl::init("auto")};
  Option<int> optLevel{*this, "opt-level", llvm::cl::desc("optimization level, 0 to 3"), llvm::cl::init(3)};
  Option<bool> fastMath{*this, "fast-math",
                        llvm::cl::desc("approximate division, square root and functions")};
  Option<bool> lineInfo{*this, "line-info", llvm::cl::desc("emit line tables")};
};
} // namespace

static void buildNamedNVVMPipeline(OpPassManager &manager, const NVVMPipelineOptions &named) {
  if (!named.target.empty())
    manager.addPass(createAttachTargetPass({named.target}));
  CompileOptions options;
  options.fastMath = named.fastMath;
  options.lineInfo = named.lineInfo;
  manager.addPass(createLowerGPUModulesPass({named.target, named.fastMath, named.lineInfo}));
  buildTilusToNVVMPipeline(manager, options);
}

static void buildBinaryPipeline(OpPassManager &manager, const BinaryPipelineOptions &named, bool emitCubin) {
  EmitBinaryPassOptions options;
  options.targets.assign(named.targets.begin(), named.targets.end());
  options.handler = named.handler;
  options.emitCubin = emitCubin;
  options.assembler = named.assembler;
  options.optLevel = named.optLevel;
  options.fastMath = named.fastMath;
  options.lineInfo = named.lineInfo;
  manager.addPass(createEmitBinaryPass(options));
}

/// The conversions of the dialects that kernels are written in and become, down to LLVM and NVVM. Not all of
/// MLIR's: a static tool would link every dialect that one of those knows.
static void registerConversions() {
  registerArithToLLVMConversionPass();
  registerConvertControlFlowToLLVMPass();
  registerConvertFuncToLLVMPass();
  registerConvertGpuOpsToNVVMOpsPass();
  registerConvertIndexToLLVMPass();
  registerConvertMathToLLVMPass();
  registerConvertNVVMToLLVMPass();
  registerConvertToLLVMPass();
  registerConvertVectorToLLVMPass();
  registerReconcileUnrealizedCastsPass();
  registerSCFToControlFlowPass();
  registerUBToLLVMConversionPass();
}

void tilus::registerPassesAndPipelines() {
  registerPasses();
  registerTransformsPasses();
  registerConversions();
  arith::registerArithPasses();
  LLVM::registerLLVMPasses();
}

void tilus::registerPasses() {
  registerTilusTransformsPasses();
  registerTilusConversionPasses();
  registerTilusCompilerPasses();

  PassPipelineRegistration<NVVMPipelineOptions>("tilus-to-nvvm", "Tilus kernels to the NVVM dialect",
                                                buildNamedNVVMPipeline);
  PassPipelineRegistration<BinaryPipelineOptions>(
      "tilus-to-ptx", "Tilus kernels to PTX in gpu.binary ops",
      [](OpPassManager &manager, const BinaryPipelineOptions &options) {
        buildBinaryPipeline(manager, options, /*emitCubin=*/false);
      });
  PassPipelineRegistration<BinaryPipelineOptions>(
      "tilus-to-cubin", "Tilus kernels to cubins in gpu.binary ops",
      [](OpPassManager &manager, const BinaryPipelineOptions &options) {
        buildBinaryPipeline(manager, options, /*emitCubin=*/true);
      });
}
