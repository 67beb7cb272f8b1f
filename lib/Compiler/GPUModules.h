// Kernels of Tilus within a gpu.module, where launches of the GPU dialect find them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

namespace tilus {

/// The gpu.module that the kernel is in; null if it is in none.
mlir::gpu::GPUModuleOp getGPUModule(KernelOp kernel);

/// The kernels of the module, directly or in modules within it. Fails, at the op, for a declaration of a
/// kernel that there is not.
mlir::FailureOr<llvm::SmallVector<KernelOp>> getDeclaredKernels(mlir::gpu::GPUModuleOp module);

/// The chips of the module's `#nvvm.target`s, in order; without any, the one of `tilus.target`.
mlir::LogicalResult getGPUModuleTargets(mlir::gpu::GPUModuleOp module,
                                        llvm::SmallVectorImpl<const TargetInfo *> &targets);

} // namespace tilus
