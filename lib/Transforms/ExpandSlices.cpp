// tilus-expand-slices: slices of tiles become comparisons with indices, selections and reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slice at a run-time index has no layout of its own: an element may be with any thread. So the sub-tile is
// selected among zeros and or-ed together along the dimension, on integers, which keeps every bit of a float.
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace tilus {
#define GEN_PASS_DEF_EXPANDSLICESPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

static RankedTensorType withElement(RankedTensorType type, Type element) {
  return RankedTensorType::get(type.getShape(), element, type.getEncoding());
}

//===----------------------------------------------------------------------===//
// Elements as integers
//===----------------------------------------------------------------------===//

namespace {
/// How the elements of a type are held in integers and back: by a cast that loses nothing to a type that
/// arith has (none if it has the type itself), then bit by bit.
struct BitCarrier {
  Type cast;
  Type bits;
};
} // namespace

/// The dialect's floats have neither infinity nor NaN and are values of f32, zeros with their sign; tf32 is
/// held in f32; a packed bit is 0 or 1.
static BitCarrier getBitCarrier(Type element) {
  Builder builder(element.getContext());
  if (isa<LowFloatType>(element) || element.isTF32())
    return {builder.getF32Type(), builder.getI32Type()};
  if (isa<BitType>(element))
    return {builder.getI8Type(), builder.getI8Type()};
  if (isa<FloatType>(element))
    return {Type(), builder.getIntegerType(element.getIntOrFloatBitWidth())};
  return {Type(), element};
}

static Value castTile(OpBuilder &builder, Location loc, Value tile, Type element) {
  RankedTensorType type = withElement(tileOf(tile), element);
  auto cast = CastOp::create(builder, loc, type, tile);
  bool isBit = isa<BitType>(element) || isa<BitType>(tileOf(tile).getElementType());
  cast.setUnsignedSource(isBit);
  cast.setUnsignedResult(isBit);
  return cast;
}

static Value toBits(OpBuilder &builder, Location loc, Value tile) {
  BitCarrier carrier = getBitCarrier(tileOf(tile).getElementType());
  if (carrier.cast)
    tile = castTile(builder, loc, tile, carrier.cast);
  if (tileOf(tile).getElementType() == carrier.bits)
    return tile;
  return arith::BitcastOp::create(builder, loc, withElement(tileOf(tile), carrier.bits), tile);
}

static Value fromBits(OpBuilder &builder, Location loc, Value bits, Type element) {
  BitCarrier carrier = getBitCarrier(element);
  Type held = carrier.cast ? carrier.cast : element;
  if (held != carrier.bits)
    bits = arith::BitcastOp::create(builder, loc, withElement(tileOf(bits), held), bits);
  return carrier.cast ? castTile(builder, loc, bits, element) : bits;
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

/// The offset as an i32; -1 where a wider or narrower one is outside of the `extent` elements.
static Value toIndex32(OpBuilder &builder, Location loc, Value offset, int64_t extent) {
  Type i32 = builder.getI32Type();
  unsigned width = isa<IndexType>(offset.getType()) ? 64 : offset.getType().getIntOrFloatBitWidth();
  if (width == 32)
    return offset;
  if (width == 1)
    return arith::ExtUIOp::create(builder, loc, i32, offset);
  if (width < 32)
    return arith::ExtSIOp::create(builder, loc, i32, offset);
  auto end = arith::ConstantOp::create(builder, loc, builder.getIntegerAttr(offset.getType(), extent));
  Value isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, offset, end);
  Value low = isa<IndexType>(offset.getType())
                  ? arith::IndexCastOp::create(builder, loc, i32, offset).getResult()
                  : arith::TruncIOp::create(builder, loc, i32, offset).getResult();
  Value outside = arith::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(-1));
  return arith::SelectOp::create(builder, loc, isInside, low, outside);
}

/// Where the index along `dim` equals the offset.
static Value createIsAtOffset(OpBuilder &builder, Location loc, RankedTensorType tile, int64_t dim,
                              Value offset) {
  RankedTensorType type = withElement(tile, builder.getI32Type());
  Value index = IotaOp::create(builder, loc, type, dim);
  Value wanted =
      BroadcastOp::create(builder, loc, type, toIndex32(builder, loc, offset, tile.getDimSize(dim)));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, index, wanted);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

static void replaceTile(RewriterBase &rewriter, Operation *op, Value tile) {
  if (tile.getType() != op->getResult(0).getType())
    tile = ConvertLayoutOp::create(rewriter, op->getLoc(), op->getResult(0).getType(), tile);
  rewriter.replaceOp(op, tile);
}

static void expand(RewriterBase &rewriter, ExtractSliceOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  if (op.getDims().empty())
    return replaceTile(rewriter, op, op.getSource());
  Value tile = toBits(rewriter, loc, op.getSource());
  // From the last dimension on, so that the numbers of the others stay.
  for (auto [dim, offset] : llvm::reverse(llvm::zip_equal(op.getDims(), op.getOffsets()))) {
    RankedTensorType type = tileOf(tile);
    Value isWanted = createIsAtOffset(rewriter, loc, type, dim, offset);
    Value zeros = arith::ConstantOp::create(rewriter, loc, rewriter.getZeroAttr(type));
    Value kept = arith::SelectOp::create(rewriter, loc, isWanted, tile, zeros);
    SmallVector<int64_t> shape(type.getShape());
    shape.erase(shape.begin() + dim);
    auto reduced = RankedTensorType::get(shape, type.getElementType());
    tile = ReduceOp::create(rewriter, loc, reduced, CombineKind::Or, kept, dim, /*keep_dim=*/false);
  }
  replaceTile(rewriter, op, fromBits(rewriter, loc, tile, tileOf(op.getResult()).getElementType()));
}

static void expand(RewriterBase &rewriter, InsertSliceOp op) {
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  if (op.getDims().empty())
    return replaceTile(rewriter, op, op.getSource());
  RankedTensorType type = tileOf(op.getDest());
  SmallVector<int64_t> shape(type.getShape());
  Value isWanted;
  for (auto [dim, offset] : llvm::zip_equal(op.getDims(), op.getOffsets())) {
    shape[dim] = 1;
    Value isAtOffset = createIsAtOffset(rewriter, loc, type, dim, offset);
    isWanted = isWanted ? arith::AndIOp::create(rewriter, loc, isWanted, isAtOffset).getResult() : isAtOffset;
  }
  Value source =
      ReshapeOp::create(rewriter, loc, RankedTensorType::get(shape, type.getElementType()), op.getSource());
  source = BroadcastOp::create(rewriter, loc, type, source);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isWanted, source, op.getDest());
}

namespace {
class ExpandSlices : public tilus::impl::ExpandSlicesPassBase<ExpandSlices> {
public:
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Operation *op) {
      if (auto extract = dyn_cast<ExtractSliceOp>(op))
        expand(rewriter, extract);
      else if (auto insert = dyn_cast<InsertSliceOp>(op))
        expand(rewriter, insert);
    });
  }
};
} // namespace
