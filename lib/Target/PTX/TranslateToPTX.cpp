// From the LLVM dialect to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the way to PTX. Its phases: translate the ops to LLVM IR, link libdevice, apply the options on
// floating point, optimise for the chip, and generate code.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/PTX/TranslateToPTX.h"

#include "AssemblerFaults.h"
#include "AssemblerScheduling.h"
#include "Libdevice.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/Threading.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace mlir;
using namespace tilus;

namespace {
/// Turns LLVM's diagnostics into MLIR's, on one op.
class DiagnosticsOnOp : public llvm::DiagnosticHandler {
public:
  DiagnosticsOnOp(Operation *op, bool &hasError) : op(op), hasError(hasError) {}

  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string message;
    llvm::raw_string_ostream stream(message);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error) {
      hasError = true;
      op->emitError() << "LLVM: " << message;
    } else if (info.getSeverity() == llvm::DS_Warning) {
      op->emitWarning() << "LLVM: " << message;
    }
    return true;
  }

private:
  Operation *op;
  bool &hasError;
};

/// The back end's passes without those whose work on tiles does not pay.
class BackEndPasses : public llvm::legacy::PassManager {
public:
  void add(llvm::Pass *pass) override {
    const llvm::PassInfo *info = llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    // Straight-line strength reduction compares each address with fifty others: half of the back end's time.
    // The lowering makes the addresses of large tiles by sums and leaves it little to do.
    if (info && info->getPassArgument() == "slsr")
      delete pass;
    else
      llvm::legacy::PassManager::add(pass);
  }
};

/// One compilation: the LLVM context and module of an op, and the machine that it is compiled for.
class Compilation {
public:
  Compilation(Operation *op, const PTXOptions &options) : op(op), options(options) {
    context.setDiagnosticHandler(std::make_unique<DiagnosticsOnOp>(op, hasError));
  }

  /// Makes the linked and optimised module.
  LogicalResult prepare(LLVMObserver observe);
  /// Generates the code of the prepared module.
  FailureOr<std::string> generatePTX();

private:
  LogicalResult createMachine();
  LogicalResult translate();
  LogicalResult verify(StringRef when);
  void applyFloatingPointOptions();
  void optimize();

  Operation *op;
  const PTXOptions &options;
  bool hasError = false;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
};
} // namespace

/// CodeGenPrepare goes over the function again for each change of a block, up to once for each use of a
/// value. In functions that it takes for huge it goes over the changed blocks alone, to the same code.
static void prepareChangedBlocksAlone() {
  constexpr llvm::StringRef kFewestBlocks = "cgpp-huge-func";
  auto &known = llvm::cl::getRegisteredOptions();
  auto found = known.find(kFewestBlocks);
  // A process that has set it itself, as by arguments, keeps what it has set.
  if (found != known.end() && found->second->getNumOccurrences() == 0)
    found->second->addOccurrence(/*pos=*/0, kFewestBlocks, "1", /*MultiArg=*/true);
}

static void initializeBackEnd() {
  static llvm::once_flag once;
  llvm::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    prepareChangedBlocksAlone();
  });
}

/// LLVM ends the process where a version of PTX does not have the chip, and ignores features that it does not
/// know.
static LogicalResult checkFeatures(const llvm::MCSubtargetInfo &subtarget, const TargetInfo &target,
                                   StringRef features, Operation *op) {
  for (StringRef feature : llvm::split(features, ',')) {
    StringRef digits = feature;
    int version = 0;
    auto isFeature = [&](const llvm::SubtargetFeatureKV &known) { return feature.drop_front() == known.Key; };
    if (!digits.consume_front("+ptx") || digits.getAsInteger(10, version) ||
        llvm::none_of(subtarget.getAllProcessorFeatures(), isFeature))
      return op->emitError() << "expected a PTX version such as '+ptx88' as target feature, but got '"
                             << feature << "'";
    if (version < target.minPTXVersion)
      return op->emitError() << "expected '+ptx" << target.minPTXVersion << "' or a later version for "
                             << target.chip << ", but got '" << feature << "'";
  }
  return success();
}

LogicalResult Compilation::createMachine() {
  const TargetInfo *target = lookupTarget(options.chip);
  if (!target)
    return op->emitError() << describeUnknownTarget(options.chip);
  if (options.optLevel < 0 || options.optLevel > 3)
    return op->emitError() << "expected an optimization level from 0 to 3, but got " << options.optLevel;

  initializeBackEnd();
  llvm::Triple triple(options.triple.empty() ? StringRef(target->triple) : StringRef(options.triple));
  std::string reason;
  const llvm::Target *backEnd = llvm::TargetRegistry::lookupTarget(triple, reason);
  if (!backEnd || triple.getArch() != llvm::Triple::nvptx64)
    return op->emitError() << "expected a 64-bit NVPTX triple, but got '" << triple.str() << "'";
  StringRef features = options.features.empty() ? StringRef(target->ptxFeature) : StringRef(options.features);
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(backEnd->createMCSubtargetInfo(triple, target->chip, ""));
  if (failed(checkFeatures(*subtarget, *target, features, op)))
    return failure();

  llvm::TargetOptions targetOptions;
  if (options.fastMath)
    targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  // Above the default the back end numbers values where it else finds common subexpressions: the assembler's
  // code comes out the same, later.
  int level = std::min(options.optLevel, int(llvm::CodeGenOptLevel::Default));
  machine.reset(backEnd->createTargetMachine(triple, target->chip, features, targetOptions, llvm::Reloc::PIC_,
                                             std::nullopt, *llvm::CodeGenOpt::getLevel(level)));
  return success();
}

LogicalResult Compilation::translate() {
  auto symbol = dyn_cast<SymbolOpInterface>(op);
  StringRef name = symbol && symbol.getNameAttr() ? symbol.getName() : "kernels";
  module = translateModuleToLLVMIR(op, context, name);
  if (!module)
    return op->emitError() << "expected ops of the LLVM and NVVM dialects, but the module has others";
  module->setTargetTriple(machine->getTargetTriple());
  module->setDataLayout(machine->createDataLayout());
  if (!options.lineInfo)
    llvm::StripDebugInfo(*module);
  return success();
}

LogicalResult Compilation::verify(StringRef when) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (!llvm::verifyModule(*module, &stream))
    return success();
  return op->emitError() << "expected valid LLVM IR " << when << ", but got: " << StringRef(reason).trim();
}

void Compilation::applyFloatingPointOptions() {
  bool flush = options.flushSubnormals || options.fastMath;
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    if (flush)
      function.addFnAttr("denormal-fp-math-f32", "preserve-sign");
    if (!options.fastMath)
      continue;
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (!isa<llvm::FPMathOperator>(instruction))
        continue;
      llvm::FastMathFlags flags = instruction.getFastMathFlags();
      flags.setAllowContract();
      flags.setAllowReciprocal();
      flags.setApproxFunc();
      instruction.setFastMathFlags(flags);
    }
  }
}

void Compilation::optimize() {
  llvm::PipelineTuningOptions tuning;
  // A thread has no vector registers: loops are not widened. Packs of two (f16x2, f32x2) come from SLP.
  tuning.LoopVectorization = false;
  tuning.LoopInterleaving = false;
  tuning.SLPVectorization = true;

  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine.get(), tuning);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  llvm::ModulePassManager passes = builder.buildPerModuleDefaultPipeline(levels[options.optLevel]);
  // At level 0 nothing else removes the functions of libdevice that only other such functions called.
  passes.addPass(llvm::GlobalDCEPass());
  passes.run(*module, modules);
}

LogicalResult Compilation::prepare(LLVMObserver observe) {
  if (failed(createMachine()) || failed(translate()) || failed(verify("from the module's ops")) ||
      failed(linkLibdevice(*module, options, op)))
    return failure();
  applyFloatingPointOptions();
  if (observe)
    observe(LLVMStage::Linked, *module);
  optimize();
  avoidAssemblerFaults(*module);
  keepProductsBeforeWaits(*module);
  if (hasError || failed(verify("after optimization")))
    return failure();
  if (observe)
    observe(LLVMStage::Optimized, *module);
  return success();
}

FailureOr<std::string> Compilation::generatePTX() {
  llvm::SmallString<0> ptx;
  llvm::raw_svector_ostream stream(ptx);
  BackEndPasses passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return op->emitError() << "expected a back end that writes assembly, but '"
                           << machine->getTargetTriple().str() << "' does not";
  passes.run(*module);
  if (hasError)
    return failure();
  return ptx.str().str();
}

void tilus::registerPTXTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

FailureOr<std::string> tilus::translateToPTX(Operation *module, const PTXOptions &options,
                                             LLVMObserver observe) {
  Compilation compilation(module, options);
  if (failed(compilation.prepare(observe)))
    return failure();
  return compilation.generatePTX();
}
