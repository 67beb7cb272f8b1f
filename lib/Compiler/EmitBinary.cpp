// The pass tilus-emit-binary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUModules.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Compiler/Passes.h"
#include "Tilus/Compiler/TargetDiagnostics.h"
#include "Tilus/Support/ArtifactFile.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tilus {
#define GEN_PASS_DEF_EMITBINARYPASS
#include "Tilus/Compiler/Passes.h.inc"
} // namespace tilus

using namespace tilus;

namespace {
/// What becomes one gpu.binary: a gpu.module with kernels, or a kernel outside of any.
struct BinarySource {
  Operation *place;
  StringAttr name;
  SmallVector<KernelOp> kernels;
};

class EmitBinaryPass : public tilus::impl::EmitBinaryPassBase<EmitBinaryPass> {
public:
  using EmitBinaryPassBase::EmitBinaryPassBase;
  void runOnOperation() override;
  void getDependentDialects(DialectRegistry &registry) const override { registerCompilerDialects(registry); }

private:
  LogicalResult collectTargets(SmallVectorImpl<const TargetInfo *> &chips);
  LogicalResult collectSources(SmallVectorImpl<BinarySource> &sources);
  LogicalResult addOwnTargets(const BinarySource &source, SmallVectorImpl<const TargetInfo *> &chips);
  LogicalResult readOptions(CompileOptions &options);
  FailureOr<Attribute> makeObject(const BinarySource &source, const TargetInfo &chip,
                                  const CompileOptions &options);
  LogicalResult emit(const BinarySource &source, ArrayRef<const TargetInfo *> chips,
                     const CompileOptions &options);
};
} // namespace

LogicalResult EmitBinaryPass::collectTargets(SmallVectorImpl<const TargetInfo *> &chips) {
  for (const std::string &name : targets) {
    chips.push_back(lookupTarget(name));
    if (!chips.back())
      return emitFileError(getOperation()) << describeUnknownTarget(name);
  }
  return success();
}

LogicalResult EmitBinaryPass::readOptions(CompileOptions &options) {
  std::optional<Assembler> who = parseAssembler(assembler);
  if (!who)
    return emitFileError(getOperation())
           << "expected 'auto', 'nvjitlink' or 'ptxas' as assembler, but got '" << assembler << "'";
  if (!handler.empty() && handler != "dispatch")
    return emitFileError(getOperation()) << "expected 'dispatch' as handler, but got '" << handler << "'";
  options.assembler = *who;
  options.optLevel = optLevel;
  options.fastMath = fastMath;
  options.lineInfo = lineInfo;
  options.emitCubin = emitCubin;
  return success();
}

/// Fails for what a gpu.binary in the place of the gpu.module would lose.
static LogicalResult checkContents(gpu::GPUModuleOp module) {
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    auto nested = dyn_cast<ModuleOp>(op);
    bool isKnown = isa<KernelOp>(op) || (function && function.isExternal()) ||
                   (nested && llvm::all_of(*nested.getBody(), llvm::IsaPred<KernelOp>));
    if (!isKnown)
      return op.emitOpError(
          "expected kernels of Tilus and their declarations alone in the gpu.module; lower it "
          "with tilus-to-nvvm and gpu-module-to-binary");
  }
  return success();
}

LogicalResult EmitBinaryPass::collectSources(SmallVectorImpl<BinarySource> &sources) {
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (KernelOp kernel : getKernels(getOperation())) {
    gpu::GPUModuleOp module = getGPUModule(kernel);
    if (!module) {
      sources.push_back({kernel, kernel.getSymNameAttr(), {kernel}});
      continue;
    }
    if (!seen.insert(module).second)
      continue;
    FailureOr<SmallVector<KernelOp>> kernels = getDeclaredKernels(module);
    if (failed(kernels) || failed(checkContents(module)))
      return failure();
    sources.push_back({module, module.getSymNameAttr(), std::move(*kernels)});
  }
  return success();
}

LogicalResult EmitBinaryPass::addOwnTargets(const BinarySource &source,
                                            SmallVectorImpl<const TargetInfo *> &chips) {
  if (auto module = dyn_cast<gpu::GPUModuleOp>(source.place))
    return getGPUModuleTargets(module, chips);
  chips.push_back(getModuleTarget(source.kernels.front()));
  return success(chips.back() != nullptr);
}

/// The bytes of an object, and what they are.
static FailureOr<std::pair<std::string, gpu::CompilationTarget>>
makeContents(const BinarySource &source, std::vector<CompiledKernel> &compiled, const CompileOptions &options,
             bool isDispatched) {
  if (isDispatched) {
    ArtifactFile file;
    for (CompiledKernel &kernel : compiled)
      file.artifacts.push_back(std::move(kernel.artifact));
    llvm::Expected<std::string> bytes = serializeArtifacts(file);
    if (!bytes)
      return source.place->emitOpError(llvm::toString(bytes.takeError()));
    return std::pair(std::move(*bytes), gpu::CompilationTarget::Offload);
  }
  if (compiled.size() != 1)
    return source.place->emitOpError(
               "expected one kernel in a gpu.module of which the objects are code alone, but got ")
           << compiled.size() << "; take handler=dispatch, or tilus-to-nvvm and gpu-module-to-binary";
  const KernelArtifact &artifact = compiled.front().artifact;
  if (options.emitCubin)
    return std::pair(std::string(artifact.cubin.begin(), artifact.cubin.end()),
                     gpu::CompilationTarget::Binary);
  return std::pair(artifact.ptx, gpu::CompilationTarget::Assembly);
}

FailureOr<Attribute> EmitBinaryPass::makeObject(const BinarySource &source, const TargetInfo &chip,
                                                const CompileOptions &options) {
  std::vector<CompiledKernel> compiled;
  for (KernelOp kernel : source.kernels)
    if (failed(compileKernel(kernel, chip, options, compiled.emplace_back())))
      return failure();
  auto contents = makeContents(source, compiled, options, handler == "dispatch");
  if (failed(contents))
    return failure();
  auto target = NVVM::NVVMTargetAttr::get(&getContext(), options.optLevel, chip.triple, chip.chip,
                                          chip.ptxFeature, nullptr, nullptr, /*verifyTarget=*/false);
  return Attribute(
      gpu::ObjectAttr::get(target, contents->second, StringAttr::get(&getContext(), contents->first)));
}

LogicalResult EmitBinaryPass::emit(const BinarySource &source, ArrayRef<const TargetInfo *> chips,
                                   const CompileOptions &options) {
  SmallVector<Attribute> objects;
  TargetDiagnostics diagnostics(&getContext());
  bool isCompiled = true;
  for (const TargetInfo *chip : chips) {
    diagnostics.setTarget(chip->chip);
    FailureOr<Attribute> object = makeObject(source, *chip, options);
    isCompiled &= succeeded(object);
    if (isCompiled)
      objects.push_back(*object);
  }
  if (!isCompiled)
    return failure();
  OpBuilder builder(source.place);
  Attribute how = handler == "dispatch" ? DispatchAttr::get(&getContext()) : Attribute();
  gpu::BinaryOp::create(builder, source.place->getLoc(), source.name, how, objects);
  source.place->erase();
  return success();
}

void EmitBinaryPass::runOnOperation() {
  SmallVector<const TargetInfo *> chips;
  SmallVector<BinarySource> sources;
  CompileOptions options = CompileOptions::fromEnvironment();
  if (failed(collectTargets(chips)) || failed(readOptions(options)) || failed(collectSources(sources)))
    return signalPassFailure();
  for (const BinarySource &source : sources) {
    SmallVector<const TargetInfo *> own = chips;
    if (own.empty() && failed(addOwnTargets(source, own)))
      return signalPassFailure();
    if (failed(emit(source, own, options)))
      return signalPassFailure();
  }
}
