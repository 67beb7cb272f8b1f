// Kernels of Tilus within a gpu.module.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUModules.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilus;

gpu::GPUModuleOp tilus::getGPUModule(KernelOp kernel) { return kernel->getParentOfType<gpu::GPUModuleOp>(); }

FailureOr<SmallVector<KernelOp>> tilus::getDeclaredKernels(gpu::GPUModuleOp module) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) { kernels.push_back(kernel); });
  if (kernels.empty())
    return kernels;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    auto isDeclared = [&](KernelOp kernel) { return kernel.getSymName() == function.getName(); };
    if (function.isExternal() && function->hasAttr(gpu::GPUDialect::getKernelFuncAttrName()) &&
        llvm::none_of(kernels, isDeclared))
      return function.emitOpError(
          "expected a 'tilus.kernel' of this name in the gpu.module, which declares it, "
          "but got none");
  }
  return kernels;
}

LogicalResult tilus::getGPUModuleTargets(gpu::GPUModuleOp module,
                                         SmallVectorImpl<const TargetInfo *> &targets) {
  if (ArrayAttr list = module.getTargetsAttr())
    for (auto target : list.getAsRange<NVVM::NVVMTargetAttr>()) {
      targets.push_back(lookupTarget(target.getChip()));
      if (!targets.back())
        return module.emitOpError() << describeUnknownTarget(target.getChip());
    }
  if (!targets.empty())
    return success();
  if (TargetAttr target = getTarget(module)) {
    targets.push_back(target.getInfo());
    return success();
  }
  return module.emitOpError(
      "expected a target, but the gpu.module names none; give it #nvvm.target attributes, or "
      "'tilus.target', or name a target for the compilation");
}
