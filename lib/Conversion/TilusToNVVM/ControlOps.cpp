// Lowering of control ops: the block's place, thread groups, exits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "Tilus/IR/GridLimits.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

/// A special register of the axis.
template <typename X, typename Y, typename Z>
static Value createAxisRegister(OpBuilder &builder, Location loc, Axis axis, int64_t low, int64_t high) {
  Type type = builder.getI32Type();
  auto range = LLVM::ConstantRangeAttr::get(builder.getContext(), 32, low, high);
  switch (axis) {
  case Axis::X:
    return X::create(builder, loc, type, range);
  case Axis::Y:
    return Y::create(builder, loc, type, range);
  case Axis::Z:
    return Z::create(builder, loc, type, range);
  }
  llvm_unreachable("an axis is x, y or z");
}

namespace {
struct BlockIdOpLowering : TileLowering<BlockIdOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(BlockIdOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createAxisRegister<NVVM::BlockIdXOp, NVVM::BlockIdYOp, NVVM::BlockIdZOp>(
                               rewriter, op.getLoc(), op.getAxis(), 0, getMaxBlocks(op.getAxis())));
    return success();
  }
};

struct GridDimOpLowering : TileLowering<GridDimOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(GridDimOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, createAxisRegister<NVVM::GridDimXOp, NVVM::GridDimYOp, NVVM::GridDimZOp>(
                               rewriter, op.getLoc(), op.getAxis(), 1, getMaxBlocks(op.getAxis()) + 1));
    return success();
  }
};

/// A group is the branch that its threads take.
struct ThreadGroupOpLowering : TileLowering<ThreadGroupOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ThreadGroupOp op, Adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadGroup parent = context.getGroup(op);
    int64_t begin = op.getBegin().value_or(0), count = op.getThreads();
    Value thread = createThreadId(rewriter, loc, context, parent), isMember;
    if (begin > 0)
      isMember = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::uge, thread,
                                       createI32(rewriter, loc, begin));
    if (begin + count < parent.count) {
      Value isBelow = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult, thread,
                                            createI32(rewriter, loc, begin + count));
      isMember = isMember ? arith::AndIOp::create(rewriter, loc, isMember, isBelow).getResult() : isBelow;
    }
    Block *body = &op.getBody().front();
    rewriter.eraseOp(body->getTerminator());
    if (!isMember) {
      rewriter.inlineBlockBefore(body, op);
      rewriter.eraseOp(op);
      return success();
    }
    auto branch = scf::IfOp::create(rewriter, loc, isMember, /*withElseRegion=*/false);
    rewriter.inlineBlockBefore(body, branch.thenBlock()->getTerminator());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ExitOpLowering : TileLowering<ExitOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(ExitOp op, Adaptor, ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(op, rewriter.getStringAttr("llvm.nvvm.exit"),
                                                       ValueRange());
    return success();
  }
};

struct AssumeOpLowering : TileLowering<AssumeOp> {
  using TileLowering::TileLowering;
  LogicalResult matchAndRewrite(AssumeOp op, Adaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::AssumeOp>(op, adaptor.getCondition().front());
    return success();
  }
};
} // namespace

void tilus::populateControlToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                  const LoweringContext &context) {
  patterns.add<BlockIdOpLowering, GridDimOpLowering, ThreadGroupOpLowering, ExitOpLowering, AssumeOpLowering>(
      converter, patterns.getContext(), context);
}
