// Lowering of shared tiles: places, views, and loads and stores by vectors or matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "Tilus/Support/IntMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

SlotRuns tilus::getSharedRuns(const SharedLayout &shared, const RegisterLayout &registers,
                              int64_t elementBits, int64_t originDivisibility) {
  SlotRuns best;
  for (int64_t dim = 0; dim < shared.getRank(); ++dim) {
    int64_t contiguous = shared.getContiguousRun(dim);
    // A run from a multiple of its length must not reach over the end of the innermost mode.
    if (shared.getDimModes(dim).size() > 1)
      contiguous &= -contiguous;
    int64_t limit = std::min<int64_t>(contiguous, 128 / elementBits);
    SlotRuns runs = getSlotRuns(registers, dim, limit);
    // A run is aligned if everything that is added to its offset is a multiple of it.
    while (runs.count > 1) {
      bool isAligned = originDivisibility % runs.count == 0;
      for (int64_t other = 0; other < shared.getRank(); ++other)
        for (auto [size, stride] : shared.getDimModes(other))
          isAligned &= (other == dim && stride < runs.count) || stride % runs.count == 0;
      if (isAligned)
        break;
      runs.count /= 2;
    }
    if (runs.count > best.count)
      best = runs;
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Matrices
//===----------------------------------------------------------------------===//

/// How a tile splits into the 8-row matrices of ldmatrix and stmatrix: each register holds one matrix, and
/// the lanes of a warp give the addresses of the rows of `perAccess` matrices at once.
struct MatrixAccess {
  int64_t perAccess = 1;
  /// The digits of the thread id that a row address depends on, and which part of the id each is taken from.
  SmallVector<LayoutDigit> digits;
};

/// The distance, along both dimensions, of register `index` from register 0.
static Extents getMatrixOffset(const RegisterLayout &layout, int64_t index, int64_t slotsPerMatrix) {
  return layout.getIndex(0, index * slotsPerMatrix);
}

/// Whether the offsets of `count` matrices add to those of every multiple of `count`.
static bool areIndependent(const RegisterLayout &layout, int64_t count, int64_t slots) {
  int64_t matrices = layout.getNumLocals() / slots;
  if (matrices % count)
    return false;
  for (int64_t first = 0; first < matrices; first += count)
    for (int64_t index = 0; index < count; ++index) {
      Extents sum = getMatrixOffset(layout, first, slots), part = getMatrixOffset(layout, index, slots);
      Extents whole = getMatrixOffset(layout, first + index, slots);
      for (int64_t dim = 0; dim < 2; ++dim)
        if (whole[dim] != sum[dim] + part[dim])
          return false;
    }
  return true;
}

/// The digits of a row address: the warp's place in the tile, the matrix by lane / 8, the row by lane % 8.
static MatrixAccess planMatrixAccess(const RegisterLayout &layout, int64_t slots) {
  MatrixAccess access;
  for (int64_t count : {4, 2})
    if (areIndependent(layout, count, slots)) {
      access.perAccess = count;
      break;
    }
  for (LayoutDigit digit : layout.getSpatialDigits()) {
    // The part of a digit above the lanes places the warp.
    int64_t inLanes = digit.stride >= 32 ? 1 : std::max<int64_t>(1, 32 / digit.stride);
    if (digit.stride * digit.size <= 32 || digit.isReplication())
      continue;
    if (inLanes < digit.size || digit.stride >= 32)
      access.digits.push_back({digit.size / std::min(inLanes, digit.size), digit.stride * inLanes, digit.dim,
                               digit.indexStride * inLanes});
  }
  for (int64_t bit = 1; bit < access.perAccess; bit *= 2) {
    Extents offset = getMatrixOffset(layout, bit, slots);
    for (int64_t dim = 0; dim < 2; ++dim)
      if (offset[dim])
        access.digits.push_back({2, 8 * bit, dim, offset[dim]});
  }
  access.digits.push_back({8, 1, 0, 1});
  return access;
}

/// The thread's part of a row's index, the sum of the digits.
static SmallVector<Value> createRowIndex(OpBuilder &builder, Location loc, Value thread,
                                         ArrayRef<LayoutDigit> digits, int64_t numThreads) {
  SmallVector<Value> index(2, createI32(builder, loc, 0));
  for (const LayoutDigit &digit : digits) {
    Value value = createDigit(builder, loc, thread, digit.stride, digit.size, numThreads);
    Value part = builder.createOrFold<arith::MulIOp>(loc, value, createI32(builder, loc, digit.indexStride));
    index[digit.dim] = builder.createOrFold<arith::AddIOp>(loc, index[digit.dim], part);
  }
  return index;
}

static NVVM::MMALayout getMatrixLayout(SharedAccess access) {
  return access == SharedAccess::MatrixTrans ? NVVM::MMALayout::col : NVVM::MMALayout::row;
}

/// Calls `move` with the row address and the first register of each access to the matrices of a tile.
static void
forEachMatrixAccess(OpBuilder &builder, Location loc, const LoweringContext &context, ThreadGroup group,
                    RankedTensorType tile, SharedType type, ValueRange parts,
                    function_ref<void(Value pointer, int64_t firstRegister, int64_t count)> move) {
  const RegisterLayout &layout = getTileLayout(tile).getLayout();
  int64_t slots = getSlotsPerRegister(tile.getElementType());
  MatrixAccess access = planMatrixAccess(layout, slots);
  Value thread = createThreadId(builder, loc, context, group);
  SharedAddresser addresser(builder, loc, type, parts);
  addresser.setThreadIndex(builder, loc, createRowIndex(builder, loc, thread, access.digits, group.count),
                           access.digits);
  for (int64_t first = 0; first < layout.getNumLocals() / slots; first += access.perAccess)
    move(addresser.getPointer(builder, loc, getMatrixOffset(layout, first, slots)), first, access.perAccess);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

/// An index as i32.
static Value toI32(Value index, OpBuilder &builder) {
  if (index.getType().isIndex())
    return arith::IndexCastOp::create(builder, index.getLoc(), builder.getI32Type(), index);
  return index.getType().isInteger(32)
             ? index
             : arith::TruncIOp::create(builder, index.getLoc(), builder.getI32Type(), index);
}

namespace {
struct AllocSharedOpLowering : TileLowering<AllocSharedOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(AllocSharedOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!op.getOffset())
      return op.emitOpError(
          "expected a place in shared memory, but got none; run tilus-plan-shared-memory before");
    SmallVector<Value> parts{createSharedPointer(rewriter, op.getLoc(), op, *op.getOffset()),
                             createI32(rewriter, op.getLoc(), 0)};
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct FreeSharedOpLowering : TileLowering<FreeSharedOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(FreeSharedOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.eraseOp(op);
    return success();
  }
};

struct SliceSharedOpLowering : TileLowering<SliceSharedOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(SliceSharedOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedType source = op.getSource().getType();
    const SharedLayout &layout = source.getLayout().getLayout();
    // Where the swizzle's pattern repeats, the pointer moves; else the origin, which is swizzled with the
    // index.
    SmallVector<Value> whole(source.getRank(), createI32(rewriter, loc, 0)), rest(whole);
    int64_t period = layout.getSwizzle() ? layout.getSwizzle()->getPeriod() : 1;
    for (auto [dim, value] : llvm::zip(op.getDims(), adaptor.getOffsets())) {
      auto modes = layout.getDimModes(dim);
      bool isWhole = llvm::all_of(modes, [&](auto mode) { return mode.second % period == 0; });
      (isWhole ? whole : rest)[dim] = toI32(value.front(), rewriter);
    }
    Value moved = createLinearOffset(rewriter, loc, layout, whole);
    Value turned = createLinearOffset(rewriter, loc, layout, rest);
    SmallVector<Value> parts{adaptor.getSource()[0], adaptor.getSource()[1]};
    parts[0] = createElementPointer(rewriter, loc, parts[0], moved, getElementBits(source.getElementType()));
    parts[1] = rewriter.createOrFold<arith::AddIOp>(loc, parts[1], turned);
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

/// Views that only name the elements otherwise.
template <typename Op> struct RenamingViewLowering : TileLowering<Op> {
  using TileLowering<Op>::TileLowering;
  LogicalResult matchAndRewrite(Op op, typename TileLowering<Op>::Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>(adaptor.getSource())});
    return success();
  }
};

struct LoadSharedOpLowering : TileLowering<LoadSharedOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(LoadSharedOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    SmallVector<Value> registers = op.getAccess() == SharedAccess::Vector
                                       ? loadVectors(op, tile, adaptor.getSource(), rewriter)
                                       : loadMatrices(op, tile, adaptor.getSource(), rewriter);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  SmallVector<Value> loadVectors(LoadSharedOp op, RankedTensorType tile, ValueRange parts,
                                 ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    int64_t elementBits = getSlotBits(tile.getElementType());
    SlotRuns runs = getSharedRuns(op.getSource().getType().getLayout().getLayout(), layout, elementBits,
                                  context.getOriginDivisibility(op));
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    SharedAddresser addresser(rewriter, loc, op.getSource().getType(), parts);
    addresser.setThreadIndex(rewriter, loc, indices.thread, layout.getSpatialDigits());
    int64_t bits = runs.count * elementBits;
    Type word = getWordType(getContext(), bits, tile.getElementType());
    TileAssembler assembler(tile);
    for (int64_t slot = 0; slot < layout.getNumLocals(); slot += runs.count) {
      Value pointer = addresser.getPointer(rewriter, loc, indices.slots[slot]);
      assembler.setWords(rewriter, loc, slot, runs.count,
                         createLoad(rewriter, loc, pointer, word, bits / word.getIntOrFloatBitWidth(),
                                    Value(), CacheHint::Default));
    }
    return assembler.getRegisters(rewriter, loc);
  }

  SmallVector<Value> loadMatrices(LoadSharedOp op, RankedTensorType tile, ValueRange parts,
                                  ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Type word = rewriter.getI32Type(), registerType = getRegisterType(tile.getElementType());
    SmallVector<Value> registers;
    forEachMatrixAccess(
        rewriter, loc, context, context.getGroup(op), tile, op.getSource().getType(), parts,
        [&](Value pointer, int64_t, int64_t count) {
          Type type = count == 1
                          ? word
                          : LLVM::LLVMStructType::getLiteral(getContext(), SmallVector<Type>(count, word));
          Value loaded = NVVM::LdMatrixOp::create(
              rewriter, loc, type, pointer, count, getMatrixLayout(op.getAccess()),
              NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8), NVVM::LdStMatrixEltType::B16);
          for (int64_t index = 0; index < count; ++index) {
            Value value =
                count == 1 ? loaded : LLVM::ExtractValueOp::create(rewriter, loc, loaded, index).getResult();
            registers.push_back(
                registerType == word
                    ? value
                    : LLVM::BitcastOp::create(rewriter, loc, registerType, value).getResult());
          }
        });
    return registers;
  }
};

struct StoreSharedOpLowering : TileLowering<StoreSharedOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(StoreSharedOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    if (op.getAccess() == SharedAccess::Vector)
      storeVectors(op, tile, adaptor, rewriter);
    else
      storeMatrices(op, tile, adaptor, rewriter);
    rewriter.eraseOp(op);
    return success();
  }

private:
  void storeVectors(StoreSharedOp op, RankedTensorType tile, Adaptor adaptor,
                    ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    SlotRuns runs = getSharedRuns(op.getDest().getType().getLayout().getLayout(), layout,
                                  getSlotBits(tile.getElementType()), context.getOriginDivisibility(op));
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    SharedAddresser addresser(rewriter, loc, op.getDest().getType(), adaptor.getDest());
    addresser.setThreadIndex(rewriter, loc, indices.thread, layout.getSpatialDigits());
    Value isFirst = createIsRepresentative(rewriter, loc, thread, layout);
    for (int64_t slot = 0; slot < layout.getNumLocals(); slot += runs.count)
      createStore(rewriter, loc, addresser.getPointer(rewriter, loc, indices.slots[slot]),
                  getWords(rewriter, loc, tile, adaptor.getValue(), slot, runs.count), isFirst,
                  CacheHint::Default);
  }

  void storeMatrices(StoreSharedOp op, RankedTensorType tile, Adaptor adaptor,
                     ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    int64_t slots = getSlotsPerRegister(tile.getElementType());
    forEachMatrixAccess(rewriter, loc, context, context.getGroup(op), tile, op.getDest().getType(),
                        adaptor.getDest(), [&](Value pointer, int64_t first, int64_t count) {
                          SmallVector<Value> words =
                              getWords(rewriter, loc, tile, adaptor.getValue(), first * slots, count * slots);
                          NVVM::StMatrixOp::create(rewriter, loc, pointer, words,
                                                   getMatrixLayout(op.getAccess()),
                                                   NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
                                                   NVVM::LdStMatrixEltType::B16);
                        });
  }
};
} // namespace

void tilus::populateSharedMemoryToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                       const LoweringContext &context) {
  patterns.add<AllocSharedOpLowering, FreeSharedOpLowering, SliceSharedOpLowering,
               RenamingViewLowering<ReshapeSharedOp>, RenamingViewLowering<PermuteSharedOp>,
               LoadSharedOpLowering, StoreSharedOpLowering>(converter, patterns.getContext(), context);
}
