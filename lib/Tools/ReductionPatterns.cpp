// How tilus-reduce makes kernels simpler, beside leaving out ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/ReductionPatterns.h"

#include "Tilus/IR/TilusDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Reducer/ReductionPatternInterface.h"

using namespace mlir;
using namespace tilus;

namespace {
/// What an op computes is replaced by zeros, so that what it is computed from can be left out.
class ReplaceByZeros : public RewritePattern {
public:
  explicit ReplaceByZeros(MLIRContext *context)
      : RewritePattern(MatchAnyOpTypeTag(), /*benefit=*/1, context) {}

  LogicalResult matchAndRewrite(Operation *op, PatternRewriter &rewriter) const override {
    if (op->getNumResults() != 1 || op->hasTrait<mlir::OpTrait::ConstantLike>())
      return rewriter.notifyMatchFailure(op, "it is no computation of one value");
    TypedAttr zero = rewriter.getZeroAttr(op->getResult(0).getType());
    if (!zero)
      return rewriter.notifyMatchFailure(op, "its result is neither a number nor a tile");
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, zero);
    return success();
  }
};

class TilusReductions : public DialectReductionPatternInterface {
public:
  explicit TilusReductions(Dialect *dialect) : DialectReductionPatternInterface(dialect) {}
  void populateReductionPatterns(RewritePatternSet &patterns) const override {
    patterns.add<ReplaceByZeros>(patterns.getContext());
  }
};
} // namespace

void tilus::registerReductionPatterns(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *, TilusDialect *dialect) { dialect->addInterfaces<TilusReductions>(); });
}
