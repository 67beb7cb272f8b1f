// Semaphores: verification.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

/// Checks that a semaphore is an i32 of the view at one offset a dimension.
static LogicalResult verifySemaphore(Operation *op, GlobalType view, ValueRange offsets) {
  if (!view.getElementType().isInteger(32))
    return op->emitOpError("expected a view of i32, but got ") << view.getElementType();
  if (int64_t(offsets.size()) != view.getRank())
    return op->emitOpError("expected one offset for each of the ")
           << view.getRank() << " dimensions of the view, but got " << offsets.size();
  return success();
}

LogicalResult SemaphoreLockOp::verify() {
  return verifySemaphore(*this, getSemaphore().getType(), getOffsets());
}
LogicalResult SemaphoreReleaseOp::verify() {
  return verifySemaphore(*this, getSemaphore().getType(), getOffsets());
}
