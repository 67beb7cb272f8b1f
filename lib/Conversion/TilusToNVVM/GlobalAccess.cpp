// Addresses and masks of the slots of a tile in a view of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

static int64_t getIntAttr(Operation *op, StringRef name, int64_t fallback) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : fallback;
}

AccessFacts::AccessFacts(Operation *op, int64_t viewRank) : inBounds(viewRank, false) {
  vectorDim = getIntAttr(op, "tilus.vector_dim", -1);
  vector = getIntAttr(op, "tilus.vector", 1);
  maskVector = getIntAttr(op, "tilus.mask_vector", 1);
  if (auto attr = op->getAttrOfType<DenseBoolArrayAttr>("tilus.in_bounds"))
    inBounds.assign(attr.asArrayRef().begin(), attr.asArrayRef().end());
}

bool AccessFacts::isInBounds() const {
  return llvm::all_of(inBounds, [](bool inside) { return inside; });
}

GlobalAccess::GlobalAccess(OpBuilder &builder, Location loc, GlobalType type, ValueRange view,
                           ValueRange offsets, ArrayRef<int64_t> tileDims, ArrayRef<int64_t> tileShape,
                           const AccessFacts &facts)
    : parts(createGlobalParts(builder, loc, type, view)), tileDims(tileDims), tileShape(tileShape),
      facts(facts), elementBits(getElementBits(type.getElementType())) {
  for (Value offset : offsets)
    start.push_back(createIndex64(builder, loc, offset));
}

void GlobalAccess::setThreadIndex(OpBuilder &builder, Location loc, ArrayRef<Value> thread) {
  index = start;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims))
    index[viewDim] = builder.createOrFold<arith::AddIOp>(loc, start[viewDim],
                                                         createIndex64(builder, loc, thread[tileDim]));
  Value offset = createI64(builder, loc, 0);
  for (auto [value, stride] : llvm::zip(index, parts.strides)) {
    Value term = builder.createOrFold<arith::MulIOp>(loc, value, stride);
    offset = builder.createOrFold<arith::AddIOp>(loc, offset, term);
  }
  base = createElementPointer(builder, loc, parts.base, offset, elementBits);
  // Dimensions that the tile does not span are inside or outside for all slots alike.
  fixedMask = Value();
  for (int64_t dim = 0; dim < int64_t(start.size()); ++dim)
    if (!facts.inBounds[dim] && !llvm::is_contained(tileDims, dim))
      fixedMask = conjoin(builder, loc, fixedMask, isInside(builder, loc, dim, index[dim]));
}

Value GlobalAccess::conjoin(OpBuilder &builder, Location loc, Value a, Value b) {
  return a && b ? arith::AndIOp::create(builder, loc, a, b).getResult() : a ? a : b;
}

/// One unsigned comparison: a negative index is a large number.
Value GlobalAccess::isInside(OpBuilder &builder, Location loc, int64_t viewDim, Value position) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, position, parts.sizes[viewDim]);
}

Value GlobalAccess::getPointer(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  Value offset;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims)) {
    if (slot[tileDim] == 0)
      continue;
    Value term = builder.createOrFold<arith::MulIOp>(loc, parts.strides[viewDim],
                                                     createI64(builder, loc, slot[tileDim]));
    offset = offset ? builder.createOrFold<arith::AddIOp>(loc, offset, term) : term;
  }
  return offset ? createElementPointer(builder, loc, base, offset, elementBits) : base;
}

Value GlobalAccess::getMask(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  Value mask = fixedMask;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims)) {
    if (facts.inBounds[viewDim])
      continue;
    Value &known = masks[{int64_t(tileDim), slot[tileDim]}];
    if (!known) {
      Value position =
          builder.createOrFold<arith::AddIOp>(loc, index[viewDim], createI64(builder, loc, slot[tileDim]));
      known = isInside(builder, loc, viewDim, position);
    }
    mask = conjoin(builder, loc, mask, known);
  }
  return mask;
}

Value GlobalAccess::getBytesInside(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot, int64_t dim,
                                   int64_t count) {
  int64_t viewDim = tileDims[dim];
  Value position =
      builder.createOrFold<arith::AddIOp>(loc, index[viewDim], createI64(builder, loc, slot[dim]));
  Value left = arith::SubIOp::create(builder, loc, parts.sizes[viewDim], position);
  left = arith::MinSIOp::create(builder, loc, left, createI64(builder, loc, count));
  left = arith::MaxSIOp::create(builder, loc, left, createI64(builder, loc, 0));
  Value bytes = arith::MulIOp::create(builder, loc, left, createI64(builder, loc, elementBits / 8));
  return arith::TruncIOp::create(builder, loc, builder.getI32Type(), bytes);
}

Value GlobalAccess::isTileInside(OpBuilder &builder, Location loc) {
  Value inside;
  Value zero = createI64(builder, loc, 0);
  for (int64_t dim = 0; dim < int64_t(start.size()); ++dim) {
    if (facts.inBounds[dim])
      continue;
    auto *found = llvm::find(tileDims, dim);
    int64_t extent = found == tileDims.end() ? 1 : tileShape[found - tileDims.begin()];
    Value end = arith::AddIOp::create(builder, loc, start[dim], createI64(builder, loc, extent));
    Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, parts.sizes[dim]);
    Value isAbove = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, start[dim], zero);
    inside = conjoin(builder, loc, inside, conjoin(builder, loc, isBelow, isAbove));
  }
  return inside;
}
