// Lowering of asynchronous copies to cp.async.
//
// The tile is cut into chunks of 16, 8 or 4 bytes that are contiguous and aligned on both sides; a chunk at
// the edge of the view is filled up with zeros. Where no such chunk exists, elements are copied at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GlobalAddresses.h"
#include "InlinePTX.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

namespace {
struct CopyAsyncOpLowering : TileLowering<CopyAsyncOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(CopyAsyncOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SharedType shared = op.getDest().getType();
    int64_t bits = getElementBits(shared.getElementType());
    ThreadGroup group = context.getGroup(op);
    ProvenFacts facts(op, op.getSource().getType().getRank());
    int64_t chunk = getChunk(op, facts, group.count, bits);
    RegisterLayout layout = shared.getRank() == 0
                                ? RegisterLayout::replicated({}, group.count)
                                : RegisterLayout::distribute(group.count, shared.getShape(),
                                                             std::max<int64_t>(0, facts.vectorDim), chunk);
    SmallVector<Value> offsets;
    for (ValueRange offset : adaptor.getOffsets())
      offsets.push_back(offset.front());
    GlobalAddresses access(rewriter, loc, op.getSource().getType(), adaptor.getSource(), offsets,
                           op.getTileDims(), shared.getShape(), facts);
    Value thread = createThreadId(rewriter, loc, context, group);
    TileIndices indices = createTileIndices(rewriter, loc, thread, layout);
    OpBuilder::InsertionGuard guard(rewriter);
    if (Value isFirst = createIsRepresentative(rewriter, loc, thread, layout)) {
      auto branch = scf::IfOp::create(rewriter, loc, isFirst, /*withElseRegion=*/false);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    access.setThreadIndex(rewriter, loc, indices.thread);
    SharedAddresser addresser(rewriter, loc, shared, adaptor.getDest());
    addresser.setThreadIndex(rewriter, loc, indices.thread, layout.getSpatialDigits());
    for (int64_t slot = 0; slot < layout.getNumLocals(); slot += chunk) {
      Value dest = addresser.getPointer(rewriter, loc, indices.slots[slot]);
      if (chunk * bits >= 32)
        copyChunk(op, access, dest, indices.slots[slot], facts, chunk, bits, rewriter);
      else
        copyElement(op, access, dest, indices.slots[slot], facts, bits, rewriter);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Elements of a chunk: as many as are contiguous and aligned in both memories, at most 16 bytes and at
  /// most a thread's share; 1 if that is less than cp.async moves.
  int64_t getChunk(CopyAsyncOp op, const ProvenFacts &facts, int64_t threads, int64_t bits) const {
    SharedType shared = op.getDest().getType();
    if (facts.vectorDim < 0 || facts.vectorDim >= shared.getRank())
      return 1;
    ArrayRef<int64_t> shape = shared.getShape();
    // A layout of one thread: what bounds the run is the memory alone.
    RegisterLayout whole = RegisterLayout::distribute(1, shape, facts.vectorDim, shape[facts.vectorDim]);
    SlotRuns runs =
        getSharedRuns(shared.getLayout().getLayout(), whole, bits, context.getOriginDivisibility(op));
    int64_t chunk = runs.dim == facts.vectorDim ? std::min(runs.count, facts.vector) : 1;
    while (shape[facts.vectorDim] % chunk)
      chunk /= 2;
    return chunk * bits < 32 ? 1 : chunk;
  }

  void copyChunk(CopyAsyncOp op, GlobalAddresses &access, Value dest, ArrayRef<int64_t> slot,
                 const ProvenFacts &facts, int64_t chunk, int64_t bits,
                 ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    int64_t bytes = chunk * bits / 8;
    Value source = access.getPointer(rewriter, loc, slot), size;
    Value mask = facts.isInBounds() ? Value() : access.getMask(rewriter, loc, slot);
    if (mask && facts.maskVector >= chunk)
      return createCopyAsync(rewriter, loc, dest, source, bytes, mask, /*size=*/Value());
    if (!facts.isInBounds()) {
      size = createI32(rewriter, loc, bytes);
      if (facts.maskVector < chunk)
        size = access.getBytesInside(rewriter, loc, slot, facts.vectorDim, chunk);
      if (mask)
        size = arith::SelectOp::create(rewriter, loc, mask, size, createI32(rewriter, loc, 0));
    }
    createCopyAsync(rewriter, loc, dest, source, bytes, /*mask=*/Value(), size);
  }

  void copyElement(CopyAsyncOp op, GlobalAddresses &access, Value dest, ArrayRef<int64_t> slot,
                   const ProvenFacts &facts, int64_t bits, ConversionPatternRewriter &rewriter) const {
    Location loc = op.getLoc();
    Value mask = facts.isInBounds() ? Value() : access.getMask(rewriter, loc, slot);
    SmallVector<Value> words = createLoad(rewriter, loc, access.getPointer(rewriter, loc, slot),
                                          rewriter.getIntegerType(bits), 1, mask, CacheHint::Default);
    createStore(rewriter, loc, dest, words, Value(), CacheHint::Default);
  }
};

struct CommitGroupOpLowering : TileLowering<CommitGroupOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(CommitGroupOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncCommitGroupOp>(op);
    return success();
  }
};

struct WaitGroupOpLowering : TileLowering<WaitGroupOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(WaitGroupOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, op.getPending());
    return success();
  }
};

struct WaitAllOpLowering : TileLowering<WaitAllOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(WaitAllOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    NVVM::CpAsyncCommitGroupOp::create(rewriter, op.getLoc());
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncWaitGroupOp>(op, 0);
    return success();
  }
};
} // namespace

void tilus::populateAsyncToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                const LoweringContext &context) {
  patterns.add<CopyAsyncOpLowering, CommitGroupOpLowering, WaitGroupOpLowering, WaitAllOpLowering>(
      converter, patterns.getContext(), context);
}
