// The way of a kernel to its artifact.
//
// Phases: isolate the kernel in a module of its own for the target, read the launch metadata, run the passes,
// translate to PTX, assemble.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"

#include "Reproducer.h"
#include "StageDump.h"
#include "Tilus/Compiler/KernelMetadata.h"
#include "Tilus/Compiler/Pipelines.h"
#include "Tilus/Compiler/TargetDiagnostics.h"
#include "Tilus/Target/PTX/TranslateToPTX.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/UBToLLVM/UBToLLVM.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/IR/Module.h"
#include <chrono>

using namespace mlir;
using namespace tilus;

namespace {
/// Adds the time that it lives to a sum of milliseconds.
class StageTimer {
public:
  explicit StageTimer(double &sum) : sum(sum), start(Clock::now()) {}
  StageTimer(const StageTimer &) = delete;
  ~StageTimer() { sum += std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

private:
  using Clock = std::chrono::steady_clock;
  double &sum;
  Clock::time_point start;
};

/// One kernel on its way to one target.
class KernelCompilation {
public:
  KernelCompilation(KernelOp kernel, const TargetInfo &target, const CompileOptions &options,
                    CompiledKernel &result)
      : kernel(kernel), target(target), options(options), result(result), artifact(result.artifact) {}

  LogicalResult run();

private:
  void isolate();
  LogicalResult runStages();
  LogicalResult runReproducibly();
  LogicalResult readMetadata();
  LogicalResult runPasses();
  template <typename Build> LogicalResult runManager(Build build);
  LogicalResult checkLowered();
  void keepLLVM(LLVMStage stage, const llvm::Module &llvmModule);
  LogicalResult emitPTX();
  LogicalResult emitCubin();
  LogicalResult checkResources();

  KernelOp kernel;
  const TargetInfo &target;
  const CompileOptions &options;
  CompiledKernel &result;
  KernelArtifact &artifact;
  /// A copy of the kernel alone in a module: what else its module holds cannot change its code.
  OwningOpRef<ModuleOp> module;
  gpu::GPUModuleOp lowered;
  /// The files of the stages, if they were asked for.
  std::optional<StageDump> dump;
  /// Whether the passes are what is under way.
  bool isInPasses = false;
};
} // namespace

void KernelCompilation::isolate() {
  MLIRContext *context = kernel.getContext();
  module = ModuleOp::create(kernel.getLoc());
  StringRef features;
  if (TargetAttr own = getTarget(kernel); own && own.getChip() == target.chip)
    features = own.getFeatures();
  artifact.features = features.str();
  module->getOperation()->setAttr(TilusDialect::kTargetAttrName,
                                  TargetAttr::get(context, target.triple, target.chip, features));
  module->getBody()->push_back(kernel->clone());
}

/// What the passes make is verified when all have run: behind each pass it is a third of their work.
template <typename Build> LogicalResult KernelCompilation::runManager(Build build) {
  PassManager manager(module->getContext(), ModuleOp::getOperationName());
  manager.enableVerifier(options.verifyPhases);
  build(manager);
  if (dump)
    dump->watch(manager);
  return failed(manager.run(*module)) ? failure() : verify(*module);
}

/// What the kernel asks of its target is answered at once: sizes that a launch evaluates may depend on it.
/// What nobody uses goes, so that a launch brings no workspaces that the code has no parameters for.
LogicalResult KernelCompilation::readMetadata() {
  if (failed(verify(*module)))
    return failure();
  LogicalResult isReadable = runManager([](PassManager &manager) {
    manager.addPass(createFoldTargetPass());
    manager.addPass(createCanonicalizerPass());
  });
  if (failed(isReadable))
    return failure();
  return readKernelMetadata(*module->getOps<KernelOp>().begin(), artifact);
}

LogicalResult KernelCompilation::runPasses() {
  StageTimer timer(result.times.passes);
  isInPasses = true;
  if (failed(runManager([&](PassManager &manager) { buildTilePipeline(manager, options); })))
    return failure();
  auto planned = *module->getOps<KernelOp>().begin();
  if (auto bytes = planned->getAttrOfType<IntegerAttr>(TilusDialect::kSharedBytesAttrName))
    artifact.dynamicSharedBytes = bytes.getInt();
  LogicalResult isLowered = runManager([&](PassManager &manager) { buildNVVMPipeline(manager, options); });
  isInPasses = failed(isLowered);
  return isLowered;
}

/// The artifact's parameters and the function's must agree: a launch relies on it.
LogicalResult KernelCompilation::checkLowered() {
  auto modules = module->getOps<gpu::GPUModuleOp>();
  if (modules.empty())
    return kernel.emitOpError("expected the passes to make a gpu.module of the kernel, but they made none");
  lowered = *modules.begin();
  size_t expected = artifact.params.size() + artifact.workspaces.size();
  for (auto function : lowered.getOps<LLVM::LLVMFuncOp>())
    if (function.getName() == artifact.entry && function.getNumArguments() == expected)
      return success();
  return kernel.emitOpError("expected the passes to make a function of ")
         << expected << " parameters of the kernel, but they made none";
}

void KernelCompilation::keepLLVM(LLVMStage stage, const llvm::Module &llvmModule) {
  bool isResult = options.emitLLVM && stage == LLVMStage::Optimized;
  if (!dump && !isResult)
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvmModule.print(stream, nullptr);
  if (dump)
    dump->write(stage == LLVMStage::Linked ? "linked.ll" : "optimized.ll", text);
  if (isResult)
    result.llvmIR = std::move(text);
}

LogicalResult KernelCompilation::emitPTX() {
  StageTimer timer(result.times.llvm);
  PTXOptions ptx;
  ptx.chip = target.chip.str();
  ptx.features = cast<TargetAttr>((*module)->getAttr(TilusDialect::kTargetAttrName)).getFeatures().str();
  ptx.optLevel = options.optLevel;
  ptx.fastMath = options.fastMath;
  ptx.lineInfo = options.lineInfo;
  ptx.toolkit = options.toolkit;
  auto observe = [&](LLVMStage stage, const llvm::Module &llvmModule) { keepLLVM(stage, llvmModule); };
  FailureOr<std::string> text = translateToPTX(lowered, ptx, observe);
  if (failed(text))
    return failure();
  artifact.ptx = std::move(*text);
  if (dump)
    dump->write("kernel.ptx", artifact.ptx);
  return success();
}

LogicalResult KernelCompilation::emitCubin() {
  StageTimer timer(result.times.assembler);
  CubinOptions cubinOptions;
  cubinOptions.assembler = options.assembler;
  cubinOptions.optLevel = options.optLevel;
  cubinOptions.lineInfo = options.lineInfo;
  cubinOptions.toolkit = options.toolkit;
  cubinOptions.dynamicSharedBytes = artifact.dynamicSharedBytes;
  llvm::Expected<Cubin> cubin = assemble(artifact.ptx, target.chip, cubinOptions);
  if (!cubin)
    return kernel.emitOpError(llvm::toString(cubin.takeError()));
  artifact.cubin.assign(cubin->bytes.begin(), cubin->bytes.end());
  if (dump)
    dump->writeCubin(cubin->bytes, options.toolkit);
  artifact.versions.assembler = getAssemblerName(cubin->assembler).str();
  for (const KernelResources &resources : cubin->kernels) {
    if (resources.kernel != artifact.entry)
      continue;
    artifact.registers = resources.registers;
    artifact.spillBytes = resources.spillStoreBytes;
    artifact.staticSharedBytes = resources.sharedBytes;
  }
  return checkResources();
}

/// What the driver would refuse at the launch is an error here.
LogicalResult KernelCompilation::checkResources() {
  int64_t registers = int64_t(artifact.registers) * artifact.blockThreads;
  if (registers > target.registersPerMultiprocessor)
    return kernel.emitOpError("expected at most ")
           << target.registersPerMultiprocessor << " registers of a block on " << target.chip << ", but got "
           << registers << ": " << artifact.blockThreads << " threads of " << artifact.registers;
  int64_t bytes = int64_t(artifact.dynamicSharedBytes) + artifact.staticSharedBytes;
  if (bytes > target.maxSharedMemoryPerBlock)
    return kernel.emitOpError("expected at most ")
           << target.maxSharedMemoryPerBlock << " bytes of shared memory on " << target.chip << ", but got "
           << bytes;
  return success();
}

LogicalResult KernelCompilation::runStages() {
  if (failed(readMetadata()) || failed(runPasses()) || failed(checkLowered()) || failed(emitPTX()))
    return failure();
  return options.emitCubin ? emitCubin() : success();
}

/// Leaves what repeats a failure, of which passes have a pipeline of their own.
LogicalResult KernelCompilation::runReproducibly() {
  StringRef folder = options.reproducerFolder;
  if (folder.empty())
    folder = dump->getFolder();
  Reproducer reproducer(*module, folder, "tilus-" + artifact.entry + "." + artifact.chip);
  std::string whole = getEmitBinaryPipelineText(target.chip, options);
  reproducer.expectEnd(whole);
  if (succeeded(runStages()))
    return success();
  reproducer.write(isInPasses ? getTilusToNVVMPipelineText(options) : whole);
  return failure();
}

LogicalResult KernelCompilation::run() {
  StageTimer timer(result.times.total);
  artifact.triple = target.triple.str();
  artifact.chip = target.chip.str();
  artifact.versions.tilus = getTilusVersion().str();
  artifact.versions.llvm = getLLVMVersion().str();
  artifact.entry = kernel.getSymName().str();
  isolate();
  if (!options.dumpFolder.empty())
    dump.emplace(*module, artifact.entry, artifact.chip, options);
  return dump || !options.reproducerFolder.empty() ? runReproducibly() : runStages();
}

void tilus::registerCompilerDialects(DialectRegistry &registry) {
  registerTilusDialects(registry);
  registry.insert<cf::ControlFlowDialect, DLTIDialect, func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  NVVM::NVVMDialect, vector::VectorDialect>();
  // What tilus-lower-threads converts besides gpu ops, by interface.
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  index::registerConvertIndexToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  ub::registerConvertUBToLLVMInterface(registry);
  registerPTXTranslations(registry);
  registerDispatchTranslation(registry);
}

LogicalResult tilus::compileKernel(KernelOp kernel, const TargetInfo &target, const CompileOptions &options,
                                   CompiledKernel &result) {
  result = CompiledKernel();
  return KernelCompilation(kernel, target, options, result).run();
}

SmallVector<KernelOp> tilus::getKernels(ModuleOp module) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  return kernels;
}

const TargetInfo *tilus::getModuleTarget(KernelOp kernel) {
  if (TargetAttr target = getTarget(kernel))
    return target.getInfo();
  kernel.emitOpError(
      "expected a target, but its module names none; give the module the attribute 'tilus.target', "
      "as in #tilus.target<chip = \"sm_90a\">, or name a chip by '--target'");
  return nullptr;
}

LogicalResult tilus::compile(ModuleOp module, ArrayRef<const TargetInfo *> targets,
                             const CompileOptions &options, std::vector<CompiledKernel> &results) {
  for (KernelOp kernel : getKernels(module)) {
    SmallVector<const TargetInfo *> own(targets);
    if (own.empty())
      own.push_back(getModuleTarget(kernel));
    TargetDiagnostics diagnostics(kernel.getContext());
    bool isCompiled = true;
    for (const TargetInfo *target : own) {
      if (target)
        diagnostics.setTarget(target->chip);
      isCompiled &= target && succeeded(compileKernel(kernel, *target, options, results.emplace_back()));
    }
    if (!isCompiled)
      return failure();
  }
  return success();
}

StringRef tilus::getTilusVersion() { return TILUS_VERSION; }
StringRef tilus::getLLVMVersion() { return LLVM_VERSION_STRING; }
