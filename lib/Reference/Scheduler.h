// The order in which blocks and agents move.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Agent.h"

namespace tilus::reference {

/// Computes `launch.grid` from the parameters.
mlir::LogicalResult computeGrid(Launch &launch, KernelOp kernel);

/// Executes all blocks of the grid. They run in order, x fastest; where all agents of a block wait, the next
/// block starts. Emits an error if all wait and none is left to start.
mlir::LogicalResult runBlocks(Launch &launch, KernelOp kernel);

} // namespace tilus::reference
