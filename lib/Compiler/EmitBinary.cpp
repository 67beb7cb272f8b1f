// The pass tilus-emit-binary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Compiler/Passes.h"
#include "Tilus/Compiler/TargetDiagnostics.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace tilus {
#define GEN_PASS_DEF_EMITBINARYPASS
#include "Tilus/Compiler/Passes.h.inc"
} // namespace tilus

using namespace tilus;

namespace {
class EmitBinaryPass : public tilus::impl::EmitBinaryPassBase<EmitBinaryPass> {
public:
  using EmitBinaryPassBase::EmitBinaryPassBase;
  void runOnOperation() override;
  void getDependentDialects(DialectRegistry &registry) const override { registerCompilerDialects(registry); }

private:
  LogicalResult collectTargets(SmallVectorImpl<const TargetInfo *> &chips);
  LogicalResult readOptions(CompileOptions &options);
  LogicalResult emit(KernelOp kernel, ArrayRef<const TargetInfo *> chips, const CompileOptions &options);
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
  options.assembler = *who;
  options.optLevel = optLevel;
  options.fastMath = fastMath;
  options.lineInfo = lineInfo;
  options.emitCubin = emitCubin;
  return success();
}

static Attribute makeObject(const CompiledKernel &compiled, const CompileOptions &options,
                            MLIRContext *context) {
  const KernelArtifact &artifact = compiled.artifact;
  auto target = NVVM::NVVMTargetAttr::get(context, options.optLevel, artifact.triple, artifact.chip,
                                          lookupTarget(artifact.chip)->ptxFeature, nullptr, nullptr,
                                          /*verifyTarget=*/false);
  StringRef bytes = artifact.ptx;
  if (options.emitCubin)
    bytes = StringRef(reinterpret_cast<const char *>(artifact.cubin.data()), artifact.cubin.size());
  auto format = options.emitCubin ? gpu::CompilationTarget::Binary : gpu::CompilationTarget::Assembly;
  return gpu::ObjectAttr::get(target, format, StringAttr::get(context, bytes));
}

LogicalResult EmitBinaryPass::emit(KernelOp kernel, ArrayRef<const TargetInfo *> chips,
                                   const CompileOptions &options) {
  SmallVector<Attribute> objects;
  TargetDiagnostics diagnostics(&getContext());
  bool isCompiled = true;
  for (const TargetInfo *chip : chips) {
    CompiledKernel compiled;
    diagnostics.setTarget(chip->chip);
    isCompiled &= succeeded(compileKernel(kernel, *chip, options, compiled));
    if (isCompiled)
      objects.push_back(makeObject(compiled, options, &getContext()));
  }
  if (!isCompiled)
    return failure();
  OpBuilder builder(kernel);
  gpu::BinaryOp::create(builder, kernel.getLoc(), kernel.getSymName(), Attribute(), objects);
  kernel.erase();
  return success();
}

void EmitBinaryPass::runOnOperation() {
  SmallVector<const TargetInfo *> chips;
  CompileOptions options = CompileOptions::fromEnvironment();
  if (failed(collectTargets(chips)) || failed(readOptions(options)))
    return signalPassFailure();
  for (KernelOp kernel : getKernels(getOperation())) {
    SmallVector<const TargetInfo *> own = chips;
    if (own.empty())
      own.push_back(getModuleTarget(kernel));
    if (!own.front() || failed(emit(kernel, own, options)))
      return signalPassFailure();
  }
}
