// The limits of a kernel's grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/GridLimits.h"

using namespace mlir;
using namespace tilus;

int64_t tilus::getMaxBlocks(Axis axis) { return axis == Axis::X ? (int64_t(1) << 31) - 1 : 65535; }

LogicalResult tilus::checkBlockCount(KernelOp kernel, Axis axis, int64_t blocks) {
  Operation *grid = kernel.getGrid().front().getTerminator();
  if (blocks > getMaxBlocks(axis))
    return grid->emitOpError("expected at most ")
           << getMaxBlocks(axis) << " blocks along " << stringifyAxis(axis) << ", but got " << blocks;
  ArrayRef<int32_t> cluster = kernel.getCluster().value_or(ArrayRef<int32_t>());
  size_t index = static_cast<size_t>(axis);
  if (index >= cluster.size() || blocks % cluster[index] == 0)
    return success();
  InFlightDiagnostic error = grid->emitOpError("expected whole clusters of ")
                             << cluster[index] << " blocks along " << stringifyAxis(axis) << ", but got "
                             << blocks << (blocks == 1 ? " block" : " blocks");
  error.attachNote(kernel.getLoc()) << "the clusters are declared here";
  return error;
}
