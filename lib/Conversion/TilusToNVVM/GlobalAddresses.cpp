// Addresses and masks of the slots of a tile in a view of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalAddresses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tilus;

/// The attribute's value, or `fallback` without it.
static SmallVector<bool> getBoolsAttr(Operation *op, StringRef name, const SmallVector<bool> &fallback) {
  auto attr = op->getAttrOfType<DenseBoolArrayAttr>(name);
  return attr ? SmallVector<bool>(attr.asArrayRef()) : fallback;
}

static int64_t getIntAttr(Operation *op, StringRef name, int64_t fallback) {
  auto attr = op->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : fallback;
}

ProvenFacts::ProvenFacts(Operation *op, int64_t viewRank)
    : vectorDim(getIntAttr(op, TilusDialect::kVectorDimAttrName, -1)),
      vector(getIntAttr(op, TilusDialect::kVectorAttrName, 1)),
      maskVector(getIntAttr(op, TilusDialect::kMaskVectorAttrName, 1)),
      inBounds(getBoolsAttr(op, TilusDialect::kInBoundsAttrName, SmallVector<bool>(viewRank, false))),
      nonNegative(getBoolsAttr(op, TilusDialect::kNonNegativeAttrName, inBounds)) {}

bool ProvenFacts::isInBounds() const {
  return llvm::all_of(inBounds, [](bool inside) { return inside; });
}

GlobalAddresses::GlobalAddresses(OpBuilder &builder, Location loc, GlobalType type, ValueRange view,
                                 ValueRange offsets, ArrayRef<int64_t> tileDims, ArrayRef<int64_t> tileShape,
                                 const ProvenFacts &facts)
    : parts(createGlobalParts(builder, loc, type, view)), tileDims(tileDims), tileShape(tileShape),
      facts(facts), elementBits(getElementBits(type.getElementType())) {
  for (Value offset : offsets)
    start.push_back(createIndex64(builder, loc, offset));
}

/// min(max(value, 0), 2^30), as an i32: far beyond any tile, and sums of two of them fit.
static Value clampToI32(OpBuilder &builder, Location loc, Value value) {
  value = builder.createOrFold<arith::MaxSIOp>(loc, value, createI64(builder, loc, 0));
  value = builder.createOrFold<arith::MinSIOp>(loc, value, createI64(builder, loc, int64_t(1) << 30));
  return builder.createOrFold<arith::TruncIOp>(loc, builder.getI32Type(), value);
}

void GlobalAddresses::setThreadIndex(OpBuilder &builder, Location loc, ArrayRef<Value> thread) {
  SmallVector<Value> index = start;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims))
    index[viewDim] = builder.createOrFold<arith::AddIOp>(loc, start[viewDim],
                                                         createIndex64(builder, loc, thread[tileDim]));
  Value offset = createI64(builder, loc, 0);
  for (auto [value, stride] : llvm::zip(index, parts.strides)) {
    Value term = builder.createOrFold<arith::MulIOp>(loc, value, stride);
    offset = builder.createOrFold<arith::AddIOp>(loc, offset, term);
  }
  base = createElementPointer(builder, loc, parts.base, offset, elementBits);
  // Dimensions that the tile does not span are inside or outside for all slots alike. One unsigned
  // comparison: a negative index is a large number.
  fixedMask = Value();
  for (int64_t dim = 0; dim < int64_t(start.size()); ++dim)
    if (!facts.inBounds[dim] && !llvm::is_contained(tileDims, dim))
      fixedMask = conjoin(
          builder, loc, fixedMask,
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, start[dim], parts.sizes[dim]));
  windows.assign(tileDims.size(), Window());
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims))
    if (!facts.inBounds[viewDim])
      windows[tileDim] = createWindow(builder, loc, viewDim, thread[tileDim]);
}

/// What an i64 was extended from, as an i32; null if it is no such value.
static Value getNarrow(OpBuilder &builder, Location loc, Value value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return llvm::isInt<32>(*constant) ? createI32(builder, loc, int32_t(*constant)) : Value();
  auto extension = value.getDefiningOp<arith::ExtSIOp>();
  if (!extension || extension.getIn().getType().getIntOrFloatBitWidth() > 32)
    return Value();
  Value narrow = extension.getIn();
  Type i32 = builder.getI32Type();
  return narrow.getType() == i32 ? narrow : builder.createOrFold<arith::ExtSIOp>(loc, i32, narrow);
}

/// How many elements a view has behind the start of a tile, which is no less than 0: negative behind the
/// view's end, and no larger than matters to a tile.
static Value createRemainder(OpBuilder &builder, Location loc, Value size, Value start) {
  Value narrowSize = getNarrow(builder, loc, size), narrowStart = getNarrow(builder, loc, start);
  if (!narrowSize || !narrowStart)
    return clampToI32(builder, loc, builder.createOrFold<arith::SubIOp>(loc, size, start));
  // With a size below 0, the difference might overflow.
  narrowSize = builder.createOrFold<arith::MaxSIOp>(loc, narrowSize, createI32(builder, loc, 0));
  return builder.createOrFold<arith::SubIOp>(loc, narrowSize, narrowStart);
}

/// The part of the tile that lies inside the view along a dimension, [lower, upper) in the tile's own
/// indices: 32 bits are enough for it, whatever the sizes of the view.
GlobalAddresses::Window GlobalAddresses::createWindow(OpBuilder &builder, Location loc, int64_t viewDim,
                                                      Value thread) {
  if (facts.nonNegative[viewDim]) {
    Value span = createRemainder(builder, loc, parts.sizes[viewDim], start[viewDim]);
    Value inside = builder.createOrFold<arith::MaxSIOp>(loc, span, createI32(builder, loc, 0));
    Value left = builder.createOrFold<arith::SubIOp>(loc, inside, thread);
    return {thread, span, left, arith::CmpIPredicate::slt};
  }
  Value upper = clampToI32(builder, loc,
                           builder.createOrFold<arith::SubIOp>(loc, parts.sizes[viewDim], start[viewDim]));
  Value negated = builder.createOrFold<arith::SubIOp>(loc, createI64(builder, loc, 0), start[viewDim]);
  Value lower = clampToI32(builder, loc, negated);
  Value span = builder.createOrFold<arith::SubIOp>(loc, upper, lower);
  span = builder.createOrFold<arith::MaxSIOp>(loc, span, createI32(builder, loc, 0));
  return {builder.createOrFold<arith::SubIOp>(loc, thread, lower), span,
          builder.createOrFold<arith::SubIOp>(loc, upper, thread), arith::CmpIPredicate::ult};
}

void GlobalAddresses::beginRegion() {
  masks.clear();
  pointers.clear();
  steps.clear();
}

Value GlobalAddresses::conjoin(OpBuilder &builder, Location loc, Value a, Value b) {
  return a && b ? arith::AndIOp::create(builder, loc, a, b).getResult() : a ? a : b;
}

Value GlobalAddresses::getPointer(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  // What is a constant becomes an immediate offset of the access.
  SmallVector<int64_t> stepped(slot);
  int64_t constant = 0;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims)) {
    std::optional<int64_t> stride = getConstantIntValue(parts.strides[viewDim]);
    if (!stride)
      continue;
    constant += *stride * slot[tileDim];
    stepped[tileDim] = 0;
  }
  Value pointer = getSteppedPointer(builder, loc, stepped);
  return constant
             ? createElementPointer(builder, loc, pointer, createI64(builder, loc, constant), elementBits)
             : pointer;
}

/// Distances along a dimension for which a product is made: a loop keeps them in registers.
static constexpr size_t kMostProducts = 8;

/// Of many slots, the address of one is that of a nearer one plus a power of two times a stride. So a tile of
/// n addresses costs n sums and log n products, and no address waits for more than log n others.
Value GlobalAddresses::getSteppedPointer(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  auto found = llvm::find_if(llvm::reverse(slot), [](int64_t distance) { return distance != 0; });
  if (found == slot.rend())
    return base;
  Value &known = pointers[SmallVector<int64_t>(slot)];
  if (known)
    return known;
  int64_t tileDim = slot.rend() - found - 1, distance = *found;
  std::map<int64_t, Value> &made = steps[tileDim];
  if (!made.count(distance) && made.size() >= kMostProducts)
    distance &= -distance;
  SmallVector<int64_t> nearer(slot);
  nearer[tileDim] -= distance;
  Value &step = made[distance];
  if (!step)
    step = builder.createOrFold<arith::MulIOp>(loc, parts.strides[tileDims[tileDim]],
                                               createI64(builder, loc, distance));
  known = createElementPointer(builder, loc, getSteppedPointer(builder, loc, nearer), step, elementBits);
  return known;
}

Value GlobalAddresses::getMask(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot) {
  Value mask = fixedMask;
  for (auto [tileDim, viewDim] : llvm::enumerate(tileDims)) {
    if (facts.inBounds[viewDim])
      continue;
    Value &known = masks[{int64_t(tileDim), slot[tileDim]}];
    if (!known) {
      const Window &window = windows[tileDim];
      Value position =
          builder.createOrFold<arith::AddIOp>(loc, window.position, createI32(builder, loc, slot[tileDim]));
      known = arith::CmpIOp::create(builder, loc, window.isInside, position, window.span);
    }
    mask = conjoin(builder, loc, mask, known);
  }
  return mask;
}

Value GlobalAddresses::getBytesInside(OpBuilder &builder, Location loc, ArrayRef<int64_t> slot, int64_t dim,
                                      int64_t count) {
  Value left = arith::SubIOp::create(builder, loc, windows[dim].left, createI32(builder, loc, slot[dim]));
  left = arith::MinSIOp::create(builder, loc, left, createI32(builder, loc, count));
  left = arith::MaxSIOp::create(builder, loc, left, createI32(builder, loc, 0));
  return arith::MulIOp::create(builder, loc, left, createI32(builder, loc, elementBits / 8));
}

Value GlobalAddresses::isTileInside(OpBuilder &builder, Location loc) {
  Value inside;
  Value zero = createI64(builder, loc, 0);
  for (int64_t dim = 0; dim < int64_t(start.size()); ++dim) {
    if (facts.inBounds[dim])
      continue;
    auto *found = llvm::find(tileDims, dim);
    int64_t extent = found == tileDims.end() ? 1 : tileShape[found - tileDims.begin()];
    Value end = arith::AddIOp::create(builder, loc, start[dim], createI64(builder, loc, extent));
    Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle, end, parts.sizes[dim]);
    inside = conjoin(builder, loc, inside, isBelow);
    if (!facts.nonNegative[dim])
      inside = conjoin(builder, loc, inside,
                       arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sge, start[dim], zero));
  }
  return inside;
}
