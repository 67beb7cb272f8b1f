// tilus-fold-target: answers what kernels ask of their target, and drops the branches for other targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the replacement of the questions and the folding of what depends on them, and of nothing else: the
// rest of a kernel stays as it was written until it has been held against the target.
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/SetVector.h"

namespace tilus {
#define GEN_PASS_DEF_FOLDTARGETPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// A question becomes its answer for the module's target.
template <typename Query> static LogicalResult foldQuery(Query op, PatternRewriter &rewriter) {
  TargetAttr target = getTarget(op);
  if (!target)
    return rewriter.notifyMatchFailure(op, "the module names no target");
  bool answer = op.isTrueFor(target.getInfo());
  rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, rewriter.getBoolAttr(answer));
  return success();
}

/// Of a branch on a constant the region that is taken stays.
static LogicalResult foldConstantIf(scf::IfOp op, PatternRewriter &rewriter) {
  BoolAttr condition;
  if (!matchPattern(op.getCondition(), m_Constant(&condition)))
    return rewriter.notifyMatchFailure(op, "the condition is no constant");
  Block *taken = condition.getValue() ? op.thenBlock() : op.elseBlock();
  if (!taken) {
    rewriter.eraseOp(op);
    return success();
  }
  Operation *end = taken->getTerminator();
  SmallVector<Value> results(end->getOperands());
  rewriter.eraseOp(end);
  rewriter.inlineBlockBefore(taken, op);
  rewriter.replaceOp(op, results);
  return success();
}

/// The questions in an operation and all that follows from them: what is computed from their answers, and the
/// results of branches on them.
static SetVector<Operation *> collectDependent(Operation *root) {
  SetVector<Operation *> ops;
  root->walk([&](Operation *op) {
    if (isa<TargetIsOp, TargetSupportsOp>(op))
      ops.insert(op);
  });
  for (size_t next = 0; next < ops.size(); ++next) {
    for (Operation *user : ops[next]->getUsers())
      ops.insert(isa<scf::YieldOp>(user) ? user->getParentOp() : user);
  }
  return ops;
}

namespace {
class FoldTarget : public tilus::impl::FoldTargetPassBase<FoldTarget> {
public:
  using FoldTargetPassBase::FoldTargetPassBase;

  void runOnOperation() override {
    SetVector<Operation *> ops = collectDependent(getOperation());
    if (ops.empty())
      return markAllAnalysesPreserved();
    RewritePatternSet patterns(&getContext());
    patterns.add(foldQuery<TargetIsOp>);
    patterns.add(foldQuery<TargetSupportsOp>);
    patterns.add(foldConstantIf);
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    if (failed(applyOpPatternsGreedily(ops.getArrayRef(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
