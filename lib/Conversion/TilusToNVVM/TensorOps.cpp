// Lowering of ops that make tiles or rename their slots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }
static const RegisterLayout &layoutOf(Value tile) { return getTileLayout(tile.getType()).getLayout(); }

/// Replaces the op by its source with the slots renamed: `getSource` maps the index of a result element to
/// that of its source element, which the same thread holds.
static LogicalResult renameSlots(Operation *op, Value source, ValueRange registers,
                                 ConversionPatternRewriter &rewriter,
                                 function_ref<Extents(ArrayRef<int64_t>)> getSource) {
  Value result = op->getResult(0);
  const RegisterLayout &from = layoutOf(source), &to = layoutOf(result);
  SmallVector<Value> slots = unpackTile(rewriter, op->getLoc(), tileOf(source), registers), renamed;
  bool isIdentity = from.getNumLocals() == to.getNumLocals();
  for (int64_t slot = 0; slot < to.getNumLocals(); ++slot) {
    int64_t origin = from.getLocal(getSource(to.getIndex(0, slot)));
    isIdentity &= origin == slot;
    renamed.push_back(slots[origin]);
  }
  if (isIdentity)
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(registers)});
  else
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, op->getLoc(), tileOf(result), renamed)});
  return success();
}

namespace {
struct BroadcastOpLowering : TileLowering<BroadcastOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(BroadcastOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    RankedTensorType result = tileOf(op.getResult());
    ValueRange source = adaptor.getSource();
    if (isTileType(op.getSource().getType())) {
      ArrayRef<int64_t> shape = tileOf(op.getSource()).getShape();
      return renameSlots(op, op.getSource(), source, rewriter, [&](ArrayRef<int64_t> index) {
        Extents kept(index.take_back(shape.size()));
        for (auto [dim, size] : llvm::enumerate(shape))
          kept[dim] = size == 1 ? 0 : kept[dim];
        return kept;
      });
    }
    Location loc = op.getLoc();
    Value scalar = source.front();
    if (scalar.getType().isIndex())
      scalar = createIndex64(rewriter, loc, scalar);
    Type element = result.getElementType();
    if (getSlotsPerRegister(element) > 1) {
      RankedTensorType whole = result;
      SmallVector<Value> slots(getSlotsPerRegister(element), scalar);
      Value vector = packTile(rewriter, loc, whole, slots).front();
      rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(getNumRegisters(result), vector)});
      return success();
    }
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(getNumRegisters(result), scalar)});
    return success();
  }
};

struct IotaOpLowering : TileLowering<IotaOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(IotaOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType result = tileOf(op.getResult());
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layoutOf(op.getResult()));
    Type type = getSlotType(result.getElementType());
    SmallVector<Value> slots;
    for (ArrayRef<int64_t> slot : indices.slots) {
      Value index = rewriter.createOrFold<arith::AddIOp>(loc, indices.thread[op.getDim()],
                                                         createI32(rewriter, loc, slot[op.getDim()]));
      unsigned bits = type.getIntOrFloatBitWidth();
      if (bits < 32)
        index = arith::TruncIOp::create(rewriter, loc, type, index);
      else if (bits > 32)
        index = arith::ExtUIOp::create(rewriter, loc, type, index);
      slots.push_back(index);
    }
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, loc, result, slots)});
    return success();
  }
};

struct TransposeOpLowering : TileLowering<TransposeOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(TransposeOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    return renameSlots(op, op.getSource(), adaptor.getSource(), rewriter, [&](ArrayRef<int64_t> index) {
      Extents source(index.size());
      for (auto [position, dim] : llvm::enumerate(op.getPermutation()))
        source[dim] = index[position];
      return source;
    });
  }
};

/// The value of a tile of one element, which all threads hold.
struct ExtractOpLowering : TileLowering<ExtractOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ExtractOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Value value = unpackTile(rewriter, op.getLoc(), tileOf(op.getSource()), adaptor.getSource()).front();
    if (op.getType().isIndex())
      value = arith::IndexCastOp::create(rewriter, op.getLoc(), op.getType(), value);
    rewriter.replaceOp(op, value);
    return success();
  }
};

/// The same bits under another type: all registers in order, as one string of bits.
struct ViewOpLowering : TileLowering<ViewOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ViewOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType source = tileOf(op.getSource()), result = tileOf(op.getResult());
    // Bytes are the common measure of all element types here.
    SmallVector<Value> bytes;
    for (Value slot : unpackTile(rewriter, loc, source, adaptor.getSource()))
      splitBytes(rewriter, loc, slot, bytes);
    int64_t slotBytes = getSlotBits(result.getElementType()) / 8;
    SmallVector<Value> slots;
    for (size_t first = 0; first < bytes.size(); first += slotBytes)
      slots.push_back(
          joinBytes(rewriter, loc, ArrayRef(bytes).slice(first, slotBytes), result.getElementType()));
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, loc, result, slots)});
    return success();
  }

private:
  static void splitBytes(OpBuilder &builder, Location loc, Value slot, SmallVectorImpl<Value> &bytes) {
    Type byte = builder.getI8Type();
    unsigned bits = slot.getType().getIntOrFloatBitWidth();
    if (bits == 1)
      return bytes.push_back(arith::ExtUIOp::create(builder, loc, byte, slot));
    if (bits == 8)
      return bytes.push_back(slot);
    Value vector = LLVM::BitcastOp::create(builder, loc, VectorType::get({bits / 8}, byte), slot);
    for (unsigned index = 0; index < bits / 8; ++index)
      bytes.push_back(LLVM::ExtractElementOp::create(builder, loc, vector, createI32(builder, loc, index)));
  }

  static Value joinBytes(OpBuilder &builder, Location loc, ArrayRef<Value> bytes, Type element) {
    if (element.isInteger(1))
      return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, bytes.front(),
                                   createConstant(builder, loc, builder.getI8Type(), 0));
    if (bytes.size() == 1)
      return bytes.front();
    Value vector =
        LLVM::PoisonOp::create(builder, loc, VectorType::get({int64_t(bytes.size())}, builder.getI8Type()));
    for (auto [index, byte] : llvm::enumerate(bytes))
      vector = LLVM::InsertElementOp::create(builder, loc, vector, byte, createI32(builder, loc, index));
    return LLVM::BitcastOp::create(builder, loc, getSlotType(element), vector);
  }
};
} // namespace

void tilus::populateTensorToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                 const LoweringContext &context) {
  patterns.add<BroadcastOpLowering, IotaOpLowering, TransposeOpLowering, ExtractOpLowering, ViewOpLowering>(
      converter, patterns.getContext(), context);
}
