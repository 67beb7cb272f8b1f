// Lowering of atomic updates and scattered stores: one thread for each element hands what it found to
// replicas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalAddresses.h"
#include "InlinePTX.h"
#include "ScratchExchange.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

static RankedTensorType tileOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The update that an op asks for.
template <typename Op> static AtomicUpdate getUpdate(Op op) {
  bool isShared = isa<SharedType>(op.getDest().getType());
  MemoryScope scope = op.getScope().value_or(isShared ? MemoryScope::Cta : MemoryScope::Gpu);
  return {op.getKind(), op.getOrder(), scope, /*isRead=*/bool(op.getResult())};
}

/// The value that an addition takes for what a subtraction is given.
static Value negate(OpBuilder &builder, Location loc, Value value) {
  if (isa<FloatType>(value.getType()))
    return arith::NegFOp::create(builder, loc, value);
  Value zero = createConstant(builder, loc, value.getType(), 0);
  return arith::SubIOp::create(builder, loc, zero, value);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {
/// Where the element of a slot lies, and whether the thread acts on it; null if it does.
struct ElementPlace {
  Value pointer;
  Value mask;
};
using GetPlace = function_ref<ElementPlace(int64_t slot)>;

/// Places along a dimension that a tile of indices gives.
class ScatterPlaces {
public:
  ScatterPlaces(OpBuilder &builder, Location loc, const TileIndices &tile, Type dest, ValueRange parts,
                int64_t dim, ArrayRef<Value> indices, Value isFirst)
      : builder(builder), loc(loc), tile(tile), dest(dest), parts(parts), dim(dim), indices(indices),
        isFirst(isFirst) {}

  ElementPlace get(int64_t slot) {
    auto view = dyn_cast<GlobalType>(dest);
    return view ? getGlobal(view, slot) : getShared(cast<SharedType>(dest), slot);
  }

private:
  /// The coordinate of the slot's element along a dimension, an i64.
  Value getCoordinate(int64_t axis, int64_t slot) {
    if (axis == dim)
      return createIndex64(builder, loc, indices[slot]);
    Value thread = createIndex64(builder, loc, tile.thread[axis]);
    return builder.createOrFold<arith::AddIOp>(loc, thread, createI64(builder, loc, tile.slots[slot][axis]));
  }

  /// One unsigned comparison: a negative index is a large number.
  Value addMask(Value mask, Value coordinate, Value size) {
    Value isInside = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, coordinate, size);
    return GlobalAddresses::conjoin(builder, loc, mask, isInside);
  }

  ElementPlace getGlobal(GlobalType view, int64_t slot) {
    GlobalParts global = createGlobalParts(builder, loc, view, parts);
    Value offset = createI64(builder, loc, 0), mask = isFirst;
    for (int64_t axis = 0; axis < view.getRank(); ++axis) {
      Value coordinate = getCoordinate(axis, slot);
      mask = addMask(mask, coordinate, global.sizes[axis]);
      Value term = builder.createOrFold<arith::MulIOp>(loc, coordinate, global.strides[axis]);
      offset = builder.createOrFold<arith::AddIOp>(loc, offset, term);
    }
    return {createElementPointer(builder, loc, global.base, offset, getElementBits(view.getElementType())),
            mask};
  }

  ElementPlace getShared(SharedType shared, int64_t slot) {
    SmallVector<Value> index;
    Value mask = isFirst;
    for (int64_t axis = 0; axis < shared.getRank(); ++axis) {
      Value coordinate = getCoordinate(axis, slot);
      if (axis == dim)
        mask = addMask(mask, coordinate, createI64(builder, loc, shared.getShape()[axis]));
      index.push_back(arith::TruncIOp::create(builder, loc, builder.getI32Type(), coordinate));
    }
    SharedAddresser addresser(builder, loc, shared, parts);
    addresser.setThreadIndex(builder, loc, index, {});
    return {addresser.getPointer(builder, loc, SmallVector<int64_t>(shared.getRank(), 0)), mask};
  }

  OpBuilder &builder;
  Location loc;
  const TileIndices &tile;
  Type dest;
  ValueRange parts;
  int64_t dim;
  ArrayRef<Value> indices;
  Value isFirst;
};
} // namespace

/// Updates the element of each slot that the thread acts on, and gives what was there if that is wanted.
static SmallVector<Value> updateAll(OpBuilder &builder, Location loc, const AtomicUpdate &update,
                                    ArrayRef<Value> values, ArrayRef<Value> compares, GetPlace getPlace) {
  SmallVector<Value> olds;
  for (auto [slot, value] : llvm::enumerate(values)) {
    ElementPlace place = getPlace(slot);
    Value operand = update.kind == AtomicKind::Sub ? negate(builder, loc, value) : value;
    olds.push_back(createAtomic(builder, loc, update, place.pointer, operand,
                                compares.empty() ? Value() : compares[slot], place.mask));
  }
  return olds;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
template <typename Op> struct UpdateLowering : TileLowering<Op> {
  using TileLowering<Op>::TileLowering;

protected:
  /// Replaces the op by the values before, if it has a result.
  void finish(Op op, ArrayRef<Value> olds, ConversionPatternRewriter &rewriter) const {
    if (!op.getResult())
      return rewriter.eraseOp(op);
    RankedTensorType tile = tileOf(op.getResult());
    SmallVector<Value> slots =
        createReplicas(rewriter, op.getLoc(), this->context, op, getTileLayout(tile).getLayout(), olds);
    rewriter.replaceOpWithMultiple(op, {packTile(rewriter, op.getLoc(), tile, slots)});
  }
};

struct AtomicOpLowering : UpdateLowering<AtomicOp> {
  using UpdateLowering::UpdateLowering;
  LogicalResult matchAndRewrite(AtomicOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = tileOf(op.getValue());
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    Value isFirst = createIsRepresentative(rewriter, loc, thread, layout);
    SmallVector<Value> values = unpackTile(rewriter, loc, tile, adaptor.getValue()), compares;
    if (op.getCompare())
      compares = unpackTile(rewriter, loc, tile, adaptor.getCompare());
    auto run = [&](GetPlace getPlace) {
      finish(op, updateAll(rewriter, loc, getUpdate(op), values, compares, getPlace), rewriter);
    };

    if (auto shared = dyn_cast<SharedType>(op.getDest().getType())) {
      SharedAddresser addresser(rewriter, loc, shared, adaptor.getDest());
      addresser.setThreadIndex(rewriter, loc, indices.thread, layout.getSpatialDigits());
      run([&](int64_t slot) -> ElementPlace {
        return {addresser.getPointer(rewriter, loc, indices.slots[slot]), isFirst};
      });
      return success();
    }
    auto view = cast<GlobalType>(op.getDest().getType());
    ProvenFacts facts(op, view.getRank());
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    auto tileDims = llvm::to_vector(llvm::seq<int64_t>(view.getRank() - tile.getRank(), view.getRank()));
    GlobalAddresses access(rewriter, loc, view, adaptor.getDest(), offsets, tileDims, tile.getShape(), facts);
    access.setThreadIndex(rewriter, loc, indices.thread);
    run([&](int64_t slot) -> ElementPlace {
      Value mask = facts.isInBounds() ? Value() : access.getMask(rewriter, loc, indices.slots[slot]);
      return {access.getPointer(rewriter, loc, indices.slots[slot]),
              GlobalAddresses::conjoin(rewriter, loc, mask, isFirst)};
    });
    return success();
  }
};

/// The tiles of a scatter as slots, and where they go.
template <typename Op, typename Act>
static void scatter(Op op, ValueRange dest, ValueRange indices, const LoweringContext &context,
                    ConversionPatternRewriter &rewriter, Act act) {
  Location loc = op.getLoc();
  const RegisterLayout &layout = getTileLayout(tileOf(op.getValue())).getLayout();
  Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
  TileIndices tile = createTileIndices(rewriter, loc, thread, layout);
  SmallVector<Value> slots = unpackTile(rewriter, loc, tileOf(op.getIndices()), indices);
  ScatterPlaces places(rewriter, loc, tile, op.getDest().getType(), dest, op.getDim(), slots,
                       createIsRepresentative(rewriter, loc, thread, layout));
  act([&](int64_t slot) { return places.get(slot); });
}

struct AtomicScatterOpLowering : UpdateLowering<AtomicScatterOp> {
  using UpdateLowering::UpdateLowering;
  LogicalResult matchAndRewrite(AtomicScatterOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> values = unpackTile(rewriter, loc, tileOf(op.getValue()), adaptor.getValue());
    scatter(op, adaptor.getDest(), adaptor.getIndices(), context, rewriter, [&](GetPlace getPlace) {
      finish(op, updateAll(rewriter, loc, getUpdate(op), values, {}, getPlace), rewriter);
    });
    return success();
  }
};

struct StoreScatterOpLowering : TileLowering<StoreScatterOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(StoreScatterOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType tile = tileOf(op.getValue());
    scatter(op, adaptor.getDest(), adaptor.getIndices(), context, rewriter, [&](GetPlace getPlace) {
      for (int64_t slot = 0; slot < getTileLayout(tile).getLayout().getNumLocals(); ++slot) {
        ElementPlace place = getPlace(slot);
        createStore(rewriter, loc, place.pointer, getWords(rewriter, loc, tile, adaptor.getValue(), slot, 1),
                    place.mask, CacheHint::Default);
      }
    });
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilus::populateAtomicToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                 const LoweringContext &context) {
  patterns.add<AtomicOpLowering, AtomicScatterOpLowering, StoreScatterOpLowering>(
      converter, patterns.getContext(), context);
}
