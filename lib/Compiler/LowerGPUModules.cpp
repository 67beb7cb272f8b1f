// The pass tilus-lower-gpu-modules.
//
// Phases, for each gpu.module with kernels: choose the target, lower the kernels in a module of their own,
// move what became of them to the gpu.module, tell the launches how much shared memory they ask for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUModules.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Passes.h"
#include "Tilus/Compiler/Pipelines.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace tilus {
#define GEN_PASS_DEF_LOWERGPUMODULESPASS
#include "Tilus/Compiler/Passes.h.inc"
} // namespace tilus

using namespace tilus;

namespace {
class LowerGPUModulesPass : public tilus::impl::LowerGPUModulesPassBase<LowerGPUModulesPass> {
public:
  using LowerGPUModulesPassBase::LowerGPUModulesPassBase;
  void runOnOperation() override;
  void getDependentDialects(DialectRegistry &registry) const override { registerCompilerDialects(registry); }

private:
  const TargetInfo *chooseTarget(gpu::GPUModuleOp module);
  LogicalResult lower(gpu::GPUModuleOp module, ArrayRef<KernelOp> kernels);
};
} // namespace

/// The one whose code all targets of the module take.
const TargetInfo *LowerGPUModulesPass::chooseTarget(gpu::GPUModuleOp module) {
  if (!target.empty()) {
    const TargetInfo *named = lookupTarget(target);
    if (!named)
      module.emitOpError() << describeUnknownTarget(target);
    return named;
  }
  SmallVector<const TargetInfo *> targets;
  if (failed(getGPUModuleTargets(module, targets)))
    return nullptr;
  for (const TargetInfo *candidate : targets)
    if (llvm::all_of(targets, [&](const TargetInfo *other) { return other->supports(*candidate); }))
      return candidate;
  auto names = llvm::map_range(targets, [](const TargetInfo *one) { return one->chip; });
  module.emitOpError("expected a target whose code all the others take, but got ")
      << llvm::join(names, ", ")
      << "; name one for the pass, or compile with tilus-emit-binary, for each apart";
  return nullptr;
}

/// Moves the ops of the lowered kernels to the gpu.module, in the place of their declarations.
static LogicalResult moveLowered(ModuleOp lowered, gpu::GPUModuleOp module) {
  SymbolTable outer(module);
  for (auto inner : llvm::make_early_inc_range(lowered.getOps<gpu::GPUModuleOp>())) {
    SymbolTable table(inner);
    for (Operation &op : llvm::make_early_inc_range(*inner.getBody())) {
      auto symbol = dyn_cast<SymbolOpInterface>(op);
      Operation *other = symbol ? outer.lookup(symbol.getName()) : nullptr;
      bool isKernel = op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
      auto declaration = dyn_cast_or_null<FunctionOpInterface>(other);
      if (declaration && declaration.isExternal() && isa<FunctionOpInterface>(op))
        outer.erase(other);
      else if (other && isKernel)
        return op.emitOpError("expected a kernel name that the gpu.module has not, but got '")
               << symbol.getName() << "'";
      else if (other && failed(table.renameToUnique(&op, {&outer})))
        return failure();
      if (isKernel) {
        op.setAttr(gpu::GPUDialect::getKernelFuncAttrName(), UnitAttr::get(op.getContext()));
        auto bytes = inner->getAttrOfType<IntegerAttr>(TilusDialect::kSharedBytesAttrName);
        if (bytes && bytes.getInt() != 0)
          op.setAttr(TilusDialect::kSharedBytesAttrName, bytes);
      }
      op.moveBefore(module.getBody(), module.getBody()->end());
      if (symbol)
        outer.insert(&op);
    }
  }
  return success();
}

LogicalResult LowerGPUModulesPass::lower(gpu::GPUModuleOp module, ArrayRef<KernelOp> kernels) {
  const TargetInfo *chosen = chooseTarget(module);
  if (!chosen)
    return failure();
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto apart = ModuleOp::create(builder, module.getLoc());
  apart->setAttr(TilusDialect::kTargetAttrName,
                 TargetAttr::get(&getContext(), chosen->triple, chosen->chip, ""));
  for (KernelOp kernel : kernels)
    kernel->moveBefore(apart.getBody(), apart.getBody()->end());
  for (auto emptied : llvm::make_early_inc_range(module.getOps<ModuleOp>()))
    if (emptied != apart && emptied.getBody()->empty())
      emptied.erase();
  CompileOptions options;
  options.fastMath = fastMath;
  options.lineInfo = lineInfo;
  OpPassManager manager(ModuleOp::getOperationName());
  buildTilusToNVVMPipeline(manager, options);
  if (failed(runPipeline(manager, apart)) || failed(moveLowered(apart, module)))
    return failure();
  apart.erase();
  return success();
}

/// Launches without a size of dynamic shared memory get the kernel's.
static void setSharedBytes(ModuleOp module) {
  module.walk([&](gpu::LaunchFuncOp launch) {
    Operation *kernel = SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
    auto bytes =
        kernel ? kernel->getAttrOfType<IntegerAttr>(TilusDialect::kSharedBytesAttrName) : IntegerAttr();
    if (!bytes || launch.getDynamicSharedMemorySize())
      return;
    OpBuilder builder(launch);
    Value size = arith::ConstantIntOp::create(builder, launch.getLoc(), bytes.getInt(), 32);
    launch.getDynamicSharedMemorySizeMutable().assign(size);
  });
}

void LowerGPUModulesPass::runOnOperation() {
  bool isChanged = false;
  for (auto module : getOperation().getOps<gpu::GPUModuleOp>()) {
    FailureOr<SmallVector<KernelOp>> kernels = getDeclaredKernels(module);
    if (failed(kernels) || (!kernels->empty() && failed(lower(module, *kernels))))
      return signalPassFailure();
    isChanged |= !kernels->empty();
  }
  if (isChanged)
    setSharedBytes(getOperation());
}
