// Asynchronous copies: verification and requirements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "OpVerification.h"

using namespace mlir;
using namespace tilus;

LogicalResult CopyAsyncOp::verify() {
  SharedType dest = getDest().getType();
  return verifyTileAccess(*this, getSource().getType(), getOffsets(), getDims(), dest.getRank(),
                          dest.getElementType());
}

SmallVector<int64_t> CopyAsyncOp::getTileDims() {
  return resolveTileDims(getDims(), getDest().getType().getRank(), getSource().getType().getRank());
}

TargetRequirement CopyAsyncOp::getTargetRequirement() { return Feature::CpAsync; }
TargetRequirement CommitGroupOp::getTargetRequirement() { return Feature::CpAsync; }
TargetRequirement WaitGroupOp::getTargetRequirement() { return Feature::CpAsync; }
TargetRequirement WaitAllOp::getTargetRequirement() { return Feature::CpAsync; }
