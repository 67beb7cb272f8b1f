// Lowering of views of global memory, and of loads and stores of tiles.
//
// An access moves runs of slots, as wide as the address allows. Where the view's edge may cut a run, the tile
// is tested as a whole first: wholly inside, it moves in wide runs without masks; else in runs that an edge
// cannot cut.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalAddresses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {
struct GlobalViewOpLowering : TileLowering<GlobalViewOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(GlobalViewOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> parts{adaptor.getBase().front()};
    for (ArrayRef<ValueRange> group : {adaptor.getSizes(), adaptor.getStrides()})
      for (ValueRange value : group)
        parts.push_back(createIndex64(rewriter, op.getLoc(), value.front()));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct SliceGlobalOpLowering : TileLowering<SliceGlobalOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(SliceGlobalOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalType source = op.getSource().getType(), result = op.getResult().getType();
    GlobalParts parts = createGlobalParts(rewriter, loc, source, adaptor.getSource());
    Value offset = createI64(rewriter, loc, 0);
    for (auto [dim, value] : llvm::zip(op.getDims(), adaptor.getOffsets())) {
      Value index = createIndex64(rewriter, loc, value.front());
      Value term = rewriter.createOrFold<arith::MulIOp>(loc, index, parts.strides[dim]);
      offset = rewriter.createOrFold<arith::AddIOp>(loc, offset, term);
    }
    SmallVector<Value> kept{
        createElementPointer(rewriter, loc, parts.base, offset, getElementBits(source.getElementType()))};
    SmallVector<Value> strides;
    int64_t position = 0;
    for (int64_t dim = 0; dim < source.getRank(); ++dim) {
      if (llvm::is_contained(op.getDims(), dim))
        continue;
      if (ShapedType::isDynamic(result.getShape()[position]))
        kept.push_back(parts.sizes[dim]);
      if (!result.getStrides().empty() && ShapedType::isDynamic(result.getStrides()[position]))
        strides.push_back(parts.strides[dim]);
      ++position;
    }
    kept.append(strides);
    rewriter.replaceOpWithMultiple(op, {kept});
    return success();
  }
};

struct ElementPointerOpLowering : TileLowering<ElementPointerOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ElementPointerOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    GlobalType view = op.getView().getType();
    GlobalParts parts = createGlobalParts(rewriter, loc, view, adaptor.getView());
    Value offset = createI64(rewriter, loc, 0);
    for (auto [stride, value] : llvm::zip(parts.strides, adaptor.getOffsets())) {
      Value index = createIndex64(rewriter, loc, value.front());
      Value term = rewriter.createOrFold<arith::MulIOp>(loc, index, stride);
      offset = rewriter.createOrFold<arith::AddIOp>(loc, offset, term);
    }
    rewriter.replaceOp(
        op, createElementPointer(rewriter, loc, parts.base, offset, getElementBits(view.getElementType())));
    return success();
  }
};

/// Pointers to elements of all types are one type.
struct PointerCastOpLowering : TileLowering<PointerCastOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(PointerCastOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getSource().front());
    return success();
  }
};

/// A workspace comes as a hidden parameter behind those of the kernel.
struct AllocGlobalOpLowering : TileLowering<AllocGlobalOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(AllocGlobalOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Block *entry = &op->getParentOfType<KernelOp>().getBody().front();
    unsigned first = entry->getNumArguments() - context.getWorkspaces().size();
    SmallVector<Value> parts{entry->getArgument(first + context.getWorkspaceIndex(op))};
    for (ValueRange size : adaptor.getSizes())
      parts.push_back(createIndex64(rewriter, op.getLoc(), size.front()));
    rewriter.replaceOpWithMultiple(op, {parts});
    return success();
  }
};

struct LoadGlobalOpLowering : TileLowering<LoadGlobalOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(LoadGlobalOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getResult().getType());
    ProvenFacts facts(op, op.getSource().getType().getRank());
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    GlobalAddresses access(rewriter, loc, op.getSource().getType(), adaptor.getSource(), offsets,
                           op.getTileDims(), tile.getShape(), facts);
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, getTileLayout(tile).getLayout());
    access.setThreadIndex(rewriter, loc, indices.thread);

    auto load = [&](OpBuilder &builder, int64_t limit, bool isMasked) {
      return loadRuns(builder, loc, tile, access, indices, facts.vectorDim, limit, isMasked, op.getCache());
    };
    SmallVector<Value> registers;
    if (facts.isInBounds() || facts.maskVector >= facts.vector) {
      registers = load(rewriter, facts.vector, !facts.isInBounds());
    } else {
      SmallVector<Type> types(getNumRegisters(tile), getRegisterType(tile.getElementType()));
      auto branch = scf::IfOp::create(rewriter, loc, types, access.isTileInside(rewriter, loc),
                                      /*withElseRegion=*/true);
      for (bool isInside : {true, false}) {
        OpBuilder body = isInside ? branch.getThenBodyBuilder() : branch.getElseBodyBuilder();
        access.beginRegion();
        SmallVector<Value> values = load(body, isInside ? facts.vector : facts.maskVector, !isInside);
        scf::YieldOp::create(body, loc, values);
      }
      registers.assign(branch.getResults().begin(), branch.getResults().end());
    }
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }

private:
  static SmallVector<Value> loadRuns(OpBuilder &builder, Location loc, RankedTensorType tile,
                                     GlobalAddresses &access, const TileIndices &indices, int64_t vectorDim,
                                     int64_t limit, bool isMasked, CacheHint cache) {
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    SlotRuns runs = getSlotRuns(layout, vectorDim, limit);
    int64_t bits = runs.count * getSlotBits(tile.getElementType());
    Type word = getWordType(builder.getContext(), bits, tile.getElementType());
    TileAssembler assembler(tile);
    for (int64_t slot = 0; slot < layout.getNumLocals(); slot += runs.count) {
      ArrayRef<int64_t> offset = indices.slots[slot];
      Value mask = isMasked ? access.getMask(builder, loc, offset) : Value();
      SmallVector<Value> words = createLoad(builder, loc, access.getPointer(builder, loc, offset), word,
                                            bits / word.getIntOrFloatBitWidth(), mask, cache);
      assembler.setWords(builder, loc, slot, runs.count, words);
    }
    return assembler.getRegisters(builder, loc);
  }
};

struct StoreGlobalOpLowering : TileLowering<StoreGlobalOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(StoreGlobalOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto tile = cast<RankedTensorType>(op.getValue().getType());
    const RegisterLayout &layout = getTileLayout(tile).getLayout();
    ProvenFacts facts(op, op.getDest().getType().getRank());
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    GlobalAddresses access(rewriter, loc, op.getDest().getType(), adaptor.getDest(), offsets,
                           op.getTileDims(), tile.getShape(), facts);
    Value thread = createThreadId(rewriter, loc, context, context.getGroup(op));
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    access.setThreadIndex(rewriter, loc, indices.thread);
    // Replicas hold the same elements: one of them stores.
    Value isFirst = createIsRepresentative(rewriter, loc, thread, layout);

    auto store = [&](OpBuilder &builder, int64_t limit, bool isMasked) {
      SlotRuns runs = getSlotRuns(layout, facts.vectorDim, limit);
      for (int64_t slot = 0; slot < layout.getNumLocals(); slot += runs.count) {
        ArrayRef<int64_t> offset = indices.slots[slot];
        Value mask = isMasked ? access.getMask(builder, loc, offset) : Value();
        mask = GlobalAddresses::conjoin(builder, loc, mask, isFirst);
        createStore(builder, loc, access.getPointer(builder, loc, offset),
                    getWords(builder, loc, tile, adaptor.getValue(), slot, runs.count), mask, op.getCache());
      }
    };
    if (facts.isInBounds() || facts.maskVector >= facts.vector) {
      store(rewriter, facts.vector, !facts.isInBounds());
    } else {
      auto branch =
          scf::IfOp::create(rewriter, loc, access.isTileInside(rewriter, loc), /*withElseRegion=*/true);
      for (bool isInside : {true, false}) {
        OpBuilder body = isInside ? branch.getThenBodyBuilder() : branch.getElseBodyBuilder();
        access.beginRegion();
        store(body, isInside ? facts.vector : facts.maskVector, !isInside);
      }
    }
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilus::populateGlobalMemoryToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                       const LoweringContext &context) {
  patterns.add<GlobalViewOpLowering, SliceGlobalOpLowering, ElementPointerOpLowering, PointerCastOpLowering,
               AllocGlobalOpLowering, LoadGlobalOpLowering, StoreGlobalOpLowering>(
      converter, patterns.getContext(), context);
}
