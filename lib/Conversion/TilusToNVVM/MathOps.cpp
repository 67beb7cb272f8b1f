// Lowering of functions of math on scalars that have short exact sequences; the others are left for
// libdevice.
//
// On f32, and in f32 on narrower floats. Errors in units in the last place, over all arguments:
//
//   log    0.9  polynomial after range reduction, tried on all mantissas
//   log2   1.6  likewise
//   exp    2.1  ex2.approx of what rounding x log2(e) leaves, times a power of two
//   exp2   2.1  ex2.approx, as seen on an H200
//   rsqrt  1.5  rsqrt.approx, as seen on an H200
//   sqrt   0.5  sqrt.rn
//
// Subnormal arguments and results are kept. With fast math all are bare approximations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {
/// Arithmetic on f32 scalars.
struct Formula {
  OpBuilder &builder;
  Location loc;
  bool isFast;

  Type getType() const { return Float32Type::get(builder.getContext()); }
  Value real(double value) const {
    return arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(float(value)));
  }
  Value word(int64_t value) const { return createI32(builder, loc, int32_t(value)); }
  Value mul(Value a, Value b) const { return arith::MulFOp::create(builder, loc, a, b); }
  Value add(Value a, Value b) const { return arith::AddFOp::create(builder, loc, a, b); }
  Value fma(Value a, Value b, Value c) const { return math::FmaOp::create(builder, loc, a, b, c); }
  Value sub(Value a, Value b) const { return arith::SubFOp::create(builder, loc, a, b); }
  Value bits(Value a) const { return arith::BitcastOp::create(builder, loc, builder.getI32Type(), a); }
  Value fromBits(Value a) const { return arith::BitcastOp::create(builder, loc, getType(), a); }
  Value select(Value condition, Value a, Value b) const {
    return arith::SelectOp::create(builder, loc, condition, a, b);
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) const {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }
  Value intrinsic(StringRef name, ValueRange arguments) const {
    return LLVM::CallIntrinsicOp::create(builder, loc, arguments[0].getType(),
                                         builder.getStringAttr("llvm.nvvm." + name), arguments)
        .getResults();
  }
};
} // namespace

/// log2(e), and what f32 loses of it.
static constexpr double kLog2E = 1.44269504088896340736;
static constexpr float kLog2EHigh = float(kLog2E);
static constexpr float kLog2ELow = float(kLog2E - double(kLog2EHigh));
static constexpr double kLn2 = 0.693147180559945309417;

static Value createExp2(const Formula &f, Value x) { return f.intrinsic("ex2.approx", x); }

// exp(x) = 2^n * 2^f with n = x log2(e), rounded and held in [-126, 126]. Where n is held, f is large, and so
// is 2^f; the product alone may be infinite or subnormal. n + 127 comes out as the lowest bits of an f32:
// saturation holds, an addition rounds. NaN saturates to 0, and remains in f.
static Value createExp(const Formula &f, Value x) {
  if (f.isFast)
    return createExp2(f, f.mul(x, f.real(kLog2EHigh)));
  constexpr double span = 252, ones = 0x1.8p23;
  Value part = f.intrinsic("fma.rn.sat.f", {x, f.real(kLog2E / span), f.real(0.5)});
  Value shifted = f.fma(part, f.real(span), f.real(ones + 1));
  Value negated = f.sub(f.real(ones + 127), shifted);
  Value rest = f.fma(x, f.real(kLog2ELow), f.fma(x, f.real(kLog2EHigh), negated));
  Value power = arith::ShLIOp::create(f.builder, f.loc, f.bits(shifted), f.word(23));
  return f.mul(f.intrinsic("ex2.approx.ftz", rest), f.fromBits(power));
}

namespace {
/// x = (1 + rest) * 2^exponent with 1 + rest in [2/3, 4/3).
struct Reduction {
  Value exponent;
  Value rest;
  /// log(1 + rest) - rest.
  Value excess;
};
} // namespace

/// (log(1 + t) - t + t^2 / 2) / t^3 on [-1/3, 1/3], highest power first: Chebyshev interpolation,
/// error 2.9e-8.
static constexpr float kLogCoefficients[] = {0.113306172f,  -0.124222003f, 0.109156549f,
                                             -0.122887217f, 0.142918676f,  -0.166733161f,
                                             0.199999481f,  -0.249999449f, 0.333333343f};

static Reduction reduceForLog(const Formula &f, Value x) {
  Value isSubnormal = f.compare(arith::CmpFPredicate::OLT, x, f.real(0x1p-126));
  x = f.select(isSubnormal, f.mul(x, f.real(0x1p23)), x);
  // The exponent of x / (2/3): the bits of 2/3 are subtracted, and what is below the exponent is cut off.
  Value bits = f.bits(x);
  Value exponent = arith::SubIOp::create(f.builder, f.loc, bits, f.word(0x3f2aaaab));
  exponent = arith::AndIOp::create(f.builder, f.loc, exponent, f.word(0xff800000));
  Value mantissa = f.fromBits(arith::SubIOp::create(f.builder, f.loc, bits, exponent));
  Value count = arith::SIToFPOp::create(f.builder, f.loc, f.getType(), exponent);
  Reduction reduction;
  reduction.exponent = f.fma(count, f.real(0x1p-23), f.select(isSubnormal, f.real(-23), f.real(0)));
  Value t = reduction.rest = f.add(mantissa, f.real(-1));
  Value series = f.real(kLogCoefficients[0]);
  for (float coefficient : ArrayRef(kLogCoefficients).drop_front())
    series = f.fma(series, t, f.real(coefficient));
  reduction.excess = f.mul(f.fma(series, t, f.real(-0.5)), f.mul(t, t));
  return reduction;
}

/// The logarithm of what is no positive finite number.
static Value selectLog(const Formula &f, Value x, Value result) {
  Value zero = f.real(0);
  Value special = f.select(f.compare(arith::CmpFPredicate::OLT, x, zero), f.real(NAN), x);
  special = f.select(f.compare(arith::CmpFPredicate::OEQ, x, zero), f.real(-INFINITY), special);
  // The codes from 1 to that of the largest finite number.
  Value code = arith::SubIOp::create(f.builder, f.loc, f.bits(x), f.word(1));
  Value isOrdinary =
      arith::CmpIOp::create(f.builder, f.loc, arith::CmpIPredicate::ult, code, f.word(0x7f7fffff));
  return f.select(isOrdinary, result, special);
}

static Value createLog(const Formula &f, Value x) {
  if (f.isFast)
    return f.mul(f.intrinsic("lg2.approx.f", x), f.real(kLn2));
  Reduction reduction = reduceForLog(f, x);
  Value result = f.fma(reduction.exponent, f.real(kLn2), f.add(reduction.excess, reduction.rest));
  return selectLog(f, x, result);
}

static Value createLog2(const Formula &f, Value x) {
  if (f.isFast)
    return f.intrinsic("lg2.approx.f", x);
  Reduction reduction = reduceForLog(f, x);
  Value result = f.fma(reduction.rest, f.real(kLog2ELow), f.mul(reduction.excess, f.real(kLog2EHigh)));
  result = f.fma(reduction.rest, f.real(kLog2EHigh), result);
  return selectLog(f, x, f.add(reduction.exponent, result));
}

static Value createRsqrt(const Formula &f, Value x) { return f.intrinsic("rsqrt.approx.f", x); }
static Value createSqrt(const Formula &f, Value x) {
  if (x.getType().isF64())
    return f.intrinsic("sqrt.rn.d", x);
  return f.intrinsic(f.isFast ? "sqrt.approx.f" : "sqrt.rn.f", x);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

bool tilus::hasSequence(Operation *op) {
  Type type = op->getResult(0).getType();
  if (isa<ShapedType>(type))
    return false;
  // What the standard conversions lack.
  if (isa<math::ClampFOp, math::IsNormalOp, math::IPowIOp>(op))
    return true;
  if (isa<math::SqrtOp>(op))
    return type.isF64() || type.isF32() || type.isF16() || type.isBF16();
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::RsqrtOp>(op) &&
         (type.isF32() || type.isF16() || type.isBF16());
}

namespace {
template <typename Op> struct FunctionLowering : OpConversionPattern<Op> {
  FunctionLowering(const TypeConverter &converter, MLIRContext *mlirContext, const LoweringContext &context,
                   Value (*create)(const Formula &, Value))
      : OpConversionPattern<Op>(converter, mlirContext), context(context), create(create) {}

  LogicalResult matchAndRewrite(Op op, typename OpConversionPattern<Op>::OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type type = op.getType(), single = rewriter.getF32Type();
    if (!hasSequence(op))
      return rewriter.notifyMatchFailure(op, "left for libdevice");
    Formula formula{rewriter, loc, context.isFastMath()};
    Value x = adaptor.getOperand();
    bool isNarrow = type.isF16() || type.isBF16();
    if (isNarrow)
      x = arith::ExtFOp::create(rewriter, loc, single, x);
    Value result = create(formula, x);
    rewriter.replaceOp(op,
                       isNarrow ? arith::TruncFOp::create(rewriter, loc, type, result).getResult() : result);
    return success();
  }

private:
  const LoweringContext &context;
  Value (*create)(const Formula &, Value);
};
} // namespace

namespace {
struct ClampFLowering : OpConversionPattern<math::ClampFOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(math::ClampFOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasSequence(op))
      return rewriter.notifyMatchFailure(op, "not on scalars");
    Value value = arith::MaximumFOp::create(rewriter, op.getLoc(), adaptor.getValue(), adaptor.getMin());
    rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, value, adaptor.getMax());
    return success();
  }
};

struct IsNormalOpLowering : OpConversionPattern<math::IsNormalOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(math::IsNormalOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasSequence(op))
      return rewriter.notifyMatchFailure(op, "not on scalars");
    Location loc = op.getLoc();
    auto real = cast<FloatType>(adaptor.getOperand().getType());
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    Value magnitude = math::AbsFOp::create(rewriter, loc, adaptor.getOperand());
    auto constant = [&](const APFloat &value) {
      return arith::ConstantOp::create(rewriter, loc, rewriter.getFloatAttr(real, value));
    };
    Value isLarge = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OGE, magnitude,
                                          constant(APFloat::getSmallestNormalized(semantics)));
    Value isFinite = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OLT, magnitude,
                                           constant(APFloat::getInf(semantics)));
    rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isLarge, isFinite);
    return success();
  }
};

/// By squaring; of a negative power the integer part, which is not 0 for 1 and -1 alone.
struct IPowIOpLowering : OpConversionPattern<math::IPowIOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(math::IPowIOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    if (!hasSequence(op))
      return rewriter.notifyMatchFailure(op, "not on scalars");
    Location loc = op.getLoc();
    Type type = op.getType();
    auto constant = [&](OpBuilder &builder, int64_t value) {
      return createConstant(builder, loc, type, value);
    };
    Value base = adaptor.getLhs(), exponent = adaptor.getRhs(), one = constant(rewriter, 1);
    auto loop = scf::WhileOp::create(
        rewriter, loc, TypeRange{type, type, type}, ValueRange{one, base, exponent},
        [&](OpBuilder &builder, Location, ValueRange state) {
          Value isLeft =
              arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, state[2], constant(builder, 0));
          scf::ConditionOp::create(builder, loc, isLeft, state);
        },
        [&](OpBuilder &builder, Location, ValueRange state) {
          scf::YieldOp::create(builder, loc, createSquaring(builder, loc, state));
        });
    Value power = loop.getResult(0), zero = constant(rewriter, 0);
    Value isOne = isEqual(rewriter, loc, base, one),
          isMinusOne = isEqual(rewriter, loc, base, constant(rewriter, -1));
    Value isUnit = arith::OrIOp::create(rewriter, loc, isOne, isMinusOne);
    Value isNegative = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, exponent, zero);
    Value isLost = arith::AndIOp::create(
        rewriter, loc, isNegative,
        isEqual(rewriter, loc, isUnit, createConstant(rewriter, loc, isUnit.getType(), 0)));
    rewriter.replaceOpWithNewOp<arith::SelectOp>(op, isLost, zero, power);
    return success();
  }

private:
  static Value isEqual(OpBuilder &builder, Location loc, Value a, Value b) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, a, b);
  }

  /// Result, base and exponent after the lowest bit of the exponent.
  static SmallVector<Value> createSquaring(OpBuilder &builder, Location loc, ValueRange state) {
    Value one = createConstant(builder, loc, state[0].getType(), 1);
    Value isOdd = isEqual(builder, loc, arith::AndIOp::create(builder, loc, state[2], one), one);
    Value factor = arith::SelectOp::create(builder, loc, isOdd, state[1], one);
    return {arith::MulIOp::create(builder, loc, state[0], factor),
            arith::MulIOp::create(builder, loc, state[1], state[1]),
            arith::ShRUIOp::create(builder, loc, state[2], one)};
  }
};
} // namespace

void tilus::populateMathToNVVM(const TypeConverter &converter, RewritePatternSet &patterns,
                               const LoweringContext &context) {
  MLIRContext *mlirContext = patterns.getContext();
  patterns.add<FunctionLowering<math::ExpOp>>(converter, mlirContext, context, createExp);
  patterns.add<FunctionLowering<math::Exp2Op>>(converter, mlirContext, context, createExp2);
  patterns.add<FunctionLowering<math::LogOp>>(converter, mlirContext, context, createLog);
  patterns.add<FunctionLowering<math::Log2Op>>(converter, mlirContext, context, createLog2);
  patterns.add<FunctionLowering<math::RsqrtOp>>(converter, mlirContext, context, createRsqrt);
  patterns.add<FunctionLowering<math::SqrtOp>>(converter, mlirContext, context, createSqrt);
  patterns.add<ClampFLowering, IsNormalOpLowering, IPowIOpLowering>(converter, mlirContext);
}
