// Lowering of divisions of f32 tiles whose elements share divisors, as those by a row's sum or norm.
//
// With r the rounded reciprocal of d, the quotient is q = round(e + (x - e d) r) of e = round(x r). It is the
// correctly rounded one, provided that nothing overflows or becomes subnormal: e is off by less than 1.5
// units in the last place, so the sum before rounding by less than 3 * 2^-49 for q in [1/2, 1) and 2^-47 for
// q in [1, 2); x / d can come that near to the middle between two numbers only if X 2^25 - M D (X 2^24 - M D)
// is one of -3 to 3 (-1 and 1), where X, D and M are the integers of x, d and the middle. All such X were
// tried with each of the 2^23 D: no quotient is wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilus;

/// As many elements of a thread must share a divisor: fewer do not pay for its reciprocal.
static constexpr size_t kMinSharers = 4;
/// The most elements that one branch to the plain division serves.
static constexpr size_t kBranchElements = 8;
/// Magnitudes within which nothing overflows or becomes subnormal.
static constexpr float kMaxDivisor = 0x1p24f, kMaxDividend = 0x1p100f;

namespace {
struct SharedDivisionLowering : OpConversionPattern<arith::DivFOp> {
  SharedDivisionLowering(const TypeConverter &converter, MLIRContext *mlirContext)
      : OpConversionPattern(converter, mlirContext, /*benefit=*/2) {}

  LogicalResult matchAndRewrite(arith::DivFOp op, OneToNOpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    auto tile = dyn_cast<RankedTensorType>(op.getType());
    auto approximate = arith::FastMathFlags::arcp | arith::FastMathFlags::afn;
    if (!tile || !tile.getElementType().isF32() || bitEnumContainsAny(op.getFastmath(), approximate))
      return rewriter.notifyMatchFailure(op, "not an exact division of a tile of f32");
    llvm::MapVector<Value, SmallVector<size_t>> sharers;
    for (auto [index, divisor] : llvm::enumerate(adaptor.getRhs()))
      sharers[divisor].push_back(index);
    if (llvm::all_of(sharers, [](auto &entry) { return entry.second.size() < kMinSharers; }))
      return rewriter.notifyMatchFailure(op, "the elements do not share divisors");
    SmallVector<Value> quotients(adaptor.getLhs().size());
    for (auto &[divisor, indices] : sharers)
      divide(rewriter, op.getLoc(), adaptor.getLhs(), divisor, indices, quotients);
    rewriter.replaceOpWithMultiple(op, {quotients});
    return success();
  }

private:
  /// Divides the elements of these indices by one divisor.
  static void divide(OpBuilder &builder, Location loc, ValueRange dividends, Value divisor,
                     ArrayRef<size_t> indices, MutableArrayRef<Value> quotients) {
    if (indices.size() < kMinSharers) {
      for (size_t index : indices)
        quotients[index] = arith::DivFOp::create(builder, loc, dividends[index], divisor);
      return;
    }
    Value reciprocal = LLVM::CallIntrinsicOp::create(builder, loc, divisor.getType(),
                                                     builder.getStringAttr("llvm.nvvm.rcp.rn.f"), divisor)
                           .getResults();
    Value isPlainDivisor = createIsWithin(builder, loc, divisor, kMaxDivisor);
    for (; !indices.empty(); indices = indices.drop_front(std::min(indices.size(), kBranchElements))) {
      SmallVector<Value> elements;
      for (size_t index : indices.take_front(kBranchElements))
        elements.push_back(dividends[index]);
      SmallVector<Value> results =
          divideTogether(builder, loc, elements, divisor, reciprocal, isPlainDivisor);
      for (auto [index, result] : llvm::zip(indices, results))
        quotients[index] = result;
    }
  }

  static SmallVector<Value> divideTogether(OpBuilder &builder, Location loc, ArrayRef<Value> elements,
                                           Value divisor, Value reciprocal, Value isPlain) {
    for (Value element : elements)
      isPlain =
          arith::AndIOp::create(builder, loc, isPlain, createIsWithin(builder, loc, element, kMaxDividend));
    auto createForEach = [&](llvm::function_ref<Value(OpBuilder &, Value)> create) {
      return [&elements, loc, create](OpBuilder &nested, Location) {
        SmallVector<Value> results;
        for (Value element : elements)
          results.push_back(create(nested, element));
        scf::YieldOp::create(nested, loc, results);
      };
    };
    auto createQuotient = [&](OpBuilder &nested, Value element) {
      return createExactQuotient(nested, loc, element, divisor, reciprocal);
    };
    auto createDivision = [&](OpBuilder &nested, Value element) -> Value {
      return arith::DivFOp::create(nested, loc, element, divisor);
    };
    return scf::IfOp::create(builder, loc, isPlain, createForEach(createQuotient),
                             createForEach(createDivision))
        .getResults();
  }

  static Value createExactQuotient(OpBuilder &builder, Location loc, Value x, Value divisor,
                                   Value reciprocal) {
    Value estimate = arith::MulFOp::create(builder, loc, x, reciprocal);
    Value rest = math::FmaOp::create(builder, loc, arith::NegFOp::create(builder, loc, divisor), estimate, x);
    return math::FmaOp::create(builder, loc, rest, reciprocal, estimate);
  }

  /// Whether a magnitude is at most `bound` and at least its inverse.
  static Value createIsWithin(OpBuilder &builder, Location loc, Value x, float bound) {
    Value magnitude = math::AbsFOp::create(builder, loc, x);
    auto compare = [&](arith::CmpFPredicate predicate, float limit) {
      Value constant = arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(limit));
      return arith::CmpFOp::create(builder, loc, predicate, magnitude, constant);
    };
    return arith::AndIOp::create(builder, loc, compare(arith::CmpFPredicate::OGE, 1 / bound),
                                 compare(arith::CmpFPredicate::OLE, bound));
  }
};
} // namespace

void tilus::populateDivisionToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                                   const LoweringContext &context) {
  if (!context.isFastMath())
    patterns.add<SharedDivisionLowering>(converter, patterns.getContext());
}
