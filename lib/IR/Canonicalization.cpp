// Canonical forms of operations on register tiles and of atomic updates.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile with a layout between two others is left alone: someone chose it, and dropping it could cost more
// than it saves.
#include "Tilus/IR/TilusOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilus;

/// The op of this kind that gives the value, if the value has no layout of its own.
template <typename Op> static Op getFreeProducer(Value value) {
  return getTileLayout(value.getType()) ? Op() : value.getDefiningOp<Op>();
}

/// Stretching twice is stretching once.
static LogicalResult mergeBroadcasts(BroadcastOp op, PatternRewriter &rewriter) {
  auto inner = getFreeProducer<BroadcastOp>(op.getSource());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the source is not broadcast, or has a layout");
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getResult().getType(), inner.getSource());
  return success();
}

/// Reshapes keep the order of the elements, so that the last shape is all that counts.
static LogicalResult mergeReshapes(ReshapeOp op, PatternRewriter &rewriter) {
  auto inner = getFreeProducer<ReshapeOp>(op.getSource());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the source is not reshaped, or has a layout");
  rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getResult().getType(), inner.getSource());
  return success();
}

/// Permutations compose.
static LogicalResult mergeTransposes(TransposeOp op, PatternRewriter &rewriter) {
  auto inner = getFreeProducer<TransposeOp>(op.getSource());
  if (!inner)
    return rewriter.notifyMatchFailure(op, "the source is not transposed, or has a layout");
  SmallVector<int64_t> permutation;
  for (int64_t dim : op.getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  rewriter.replaceOpWithNewOp<TransposeOp>(op, op.getResult().getType(), inner.getSource(), permutation);
  return success();
}

/// What costs nothing to make is made in the wanted layout at once.
static LogicalResult rematerialize(ConvertLayoutOp op, PatternRewriter &rewriter) {
  if (auto iota = op.getSource().getDefiningOp<IotaOp>()) {
    rewriter.replaceOpWithNewOp<IotaOp>(op, op.getResult().getType(), iota.getDim());
    return success();
  }
  auto broadcast = op.getSource().getDefiningOp<BroadcastOp>();
  if (!broadcast || isa<RankedTensorType>(broadcast.getSource().getType()))
    return rewriter.notifyMatchFailure(op, "the source is not made of indices or of one scalar");
  rewriter.replaceOpWithNewOp<BroadcastOp>(op, op.getResult().getType(), broadcast.getSource());
  return success();
}

/// The only sum that takes a product, in the product's block, where its terms need not be rounded one by one.
/// The hardware adds products of 8-bit floats with few bits: sums of them are taken outside to keep more.
static Operation *getOnlySum(MmaOp op) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op.getA().getType()));
  if (!op.getResult().hasOneUse() || (type && type.getWidth() <= 8))
    return nullptr;
  Operation *sum = *op.getResult().user_begin();
  auto real = dyn_cast<arith::AddFOp>(sum);
  bool isRoundedOnce = real && bitEnumContainsAll(real.getFastmath(), arith::FastMathFlags::contract) &&
                       getElementTypeOrSelf(real.getType()).getIntOrFloatBitWidth() >= 32;
  return sum->getBlock() == op->getBlock() && (isRoundedOnce || isa<arith::AddIOp>(sum)) ? sum : nullptr;
}

/// A product that is added to something is accumulated on it. It is then made where the sum is made, and so
/// does not go past what has an effect, as a wait for the copies that it hides.
static LogicalResult accumulateOnSum(MmaOp op, PatternRewriter &rewriter) {
  Operation *sum = getOnlySum(op);
  if (!sum || !(matchPattern(op.getAcc(), m_AnyZeroFloat()) || matchPattern(op.getAcc(), m_Zero())))
    return rewriter.notifyMatchFailure(op, "the product is not added to one tile alone");
  for (Operation *between = op->getNextNode(); between != sum; between = between->getNextNode())
    if (!isMemoryEffectFree(between))
      return rewriter.notifyMatchFailure(op, "something has an effect before the sum");
  Value other = sum->getOperand(sum->getOperand(0) == op.getResult());
  rewriter.setInsertionPoint(sum);
  auto product = cast<MmaOp>(rewriter.clone(*op));
  product.getAccMutable().assign(other);
  rewriter.replaceOp(sum, product.getResult());
  rewriter.eraseOp(op);
  return success();
}

void MmaOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(accumulateOnSum);
}

/// Memory is updated without handing back what it held, if nobody asks.
template <typename Op> static LogicalResult dropUnusedResult(Op op, PatternRewriter &rewriter) {
  if (!op.getResult() || !op.getResult().use_empty())
    return rewriter.notifyMatchFailure(op, "the result is used, or there is none");
  OperationState state(op.getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  state.addAttributes(op->getDiscardableAttrDictionary().getValue());
  rewriter.create(state);
  rewriter.eraseOp(op);
  return success();
}

void AtomicOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropUnusedResult<AtomicOp>);
}

void AtomicScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(dropUnusedResult<AtomicScatterOp>);
}

void BroadcastOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeBroadcasts);
}

void ReshapeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeReshapes);
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(mergeTransposes);
}

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(rematerialize);
}

OpFoldResult ExtractOp::fold(FoldAdaptor adaptor) {
  if (auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getSource()))
    return splat.getSplatValue<Attribute>();
  auto broadcast = getSource().getDefiningOp<BroadcastOp>();
  return broadcast && broadcast.getSource().getType() == getType() ? broadcast.getSource() : Value();
}

/// A cast to the same type changes nothing, unless it saturates: infinities then become finite, and an
/// integer read as unsigned may be above the largest signed one.
OpFoldResult CastOp::fold(FoldAdaptor) {
  bool isSame = getSource().getType() == getResult().getType();
  return isSame && !getSaturate() ? OpFoldResult(getSource()) : OpFoldResult();
}
