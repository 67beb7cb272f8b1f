// Lowering of conversions between element types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

Value tilus::createElementCast(OpBuilder &builder, Location loc, const LoweringContext &, Value slot,
                               Type from, Type to) {
  if (getSlotType(from) == getSlotType(to))
    return slot;
  return arith::ExtFOp::create(builder, loc, getSlotType(to), slot);
}
