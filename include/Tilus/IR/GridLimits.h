// What a launch can have of a kernel: its number of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// The most blocks along an axis: CUDA C++ Programming Guide, section "Compute Capabilities".
int64_t getMaxBlocks(Axis axis);

/// Emits an error at 'tilus.grid' if no launch of the kernel can have so many blocks along an axis: more than
/// the hardware has, or not whole clusters.
mlir::LogicalResult checkBlockCount(KernelOp kernel, Axis axis, int64_t blocks);

} // namespace tilus
