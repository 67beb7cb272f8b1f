// Lowering of barriers and semaphores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

/// The address of the semaphore's word.
static Value createSemaphorePointer(OpBuilder &builder, Location loc, GlobalType type, ValueRange view,
                                    ArrayRef<ValueRange> offsets) {
  GlobalParts parts = createGlobalParts(builder, loc, type, view);
  Value offset = createI64(builder, loc, 0);
  for (auto [value, stride] : llvm::zip(offsets, parts.strides)) {
    Value term = arith::MulIOp::create(builder, loc, createIndex64(builder, loc, value.front()), stride);
    offset = arith::AddIOp::create(builder, loc, offset, term);
  }
  return createElementPointer(builder, loc, parts.base, offset, 32);
}

/// A branch that one thread of the group takes.
static scf::IfOp createLeaderBranch(OpBuilder &builder, Location loc, Value thread) {
  Value isLeader =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, thread, createI32(builder, loc, 0));
  return scf::IfOp::create(builder, loc, isLeader, /*withElseRegion=*/false);
}

namespace {
struct SyncOpLowering : TileLowering<SyncOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(SyncOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    createBarrier(rewriter, op.getLoc(), context, context.getGroup(op));
    rewriter.eraseOp(op);
    return success();
  }
};

/// One thread spins; the barrier hands what it acquired to the others.
struct SemaphoreLockOpLowering : TileLowering<SemaphoreLockOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(SemaphoreLockOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadGroup group = context.getGroup(op);
    Value pointer = createSemaphorePointer(rewriter, loc, op.getSemaphore().getType(), adaptor.getSemaphore(),
                                           adaptor.getOffsets());
    Value thread = createThreadId(rewriter, loc, context, group);
    OpBuilder body = createLeaderBranch(rewriter, loc, thread).getThenBodyBuilder();
    auto loop = scf::WhileOp::create(body, loc, TypeRange(), ValueRange());
    body.createBlock(&loop.getBefore());
    Value seen =
        LLVM::LoadOp::create(body, loc, body.getI32Type(), pointer, /*alignment=*/4, /*isVolatile=*/false,
                             /*isNonTemporal=*/false, /*isInvariant=*/false, /*isInvariantGroup=*/false,
                             LLVM::AtomicOrdering::acquire, "device");
    Value isOther =
        arith::CmpIOp::create(body, loc, arith::CmpIPredicate::ne, seen, adaptor.getValue().front());
    scf::ConditionOp::create(body, loc, isOther, ValueRange());
    body.createBlock(&loop.getAfter());
    scf::YieldOp::create(body, loc);
    createBarrier(rewriter, loc, context, group);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The barrier collects what all threads wrote; one thread releases it.
struct SemaphoreReleaseOpLowering : TileLowering<SemaphoreReleaseOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(SemaphoreReleaseOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadGroup group = context.getGroup(op);
    createBarrier(rewriter, loc, context, group);
    Value pointer = createSemaphorePointer(rewriter, loc, op.getSemaphore().getType(), adaptor.getSemaphore(),
                                           adaptor.getOffsets());
    Value thread = createThreadId(rewriter, loc, context, group);
    OpBuilder body = createLeaderBranch(rewriter, loc, thread).getThenBodyBuilder();
    LLVM::StoreOp::create(
        body, loc, adaptor.getValue().front(), pointer, /*alignment=*/4, /*isVolatile=*/false,
        /*isNonTemporal=*/false, /*isInvariantGroup=*/false, LLVM::AtomicOrdering::release, "device");
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void tilus::populateSyncToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                               const LoweringContext &context) {
  patterns.add<SyncOpLowering, SemaphoreLockOpLowering, SemaphoreReleaseOpLowering>(
      converter, patterns.getContext(), context);
}
