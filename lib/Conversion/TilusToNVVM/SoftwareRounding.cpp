// Rounding of f32 to narrower floats by integer arithmetic, for what the hardware does not convert.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementCast.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilus;

namespace {
/// Integer arithmetic on words, for readable formulas.
struct Bits {
  OpBuilder *builder;
  Location loc;
  Value value;

  Bits with(Value other) const { return {builder, loc, other}; }
  Bits with(int64_t other) const { return with(createI32(*builder, loc, other)); }
  Bits operator+(Bits other) const { return with(arith::AddIOp::create(*builder, loc, value, other.value)); }
  Bits operator-(Bits other) const { return with(arith::SubIOp::create(*builder, loc, value, other.value)); }
  Bits operator&(Bits other) const { return with(arith::AndIOp::create(*builder, loc, value, other.value)); }
  Bits operator|(Bits other) const { return with(arith::OrIOp::create(*builder, loc, value, other.value)); }
  Bits operator<<(Bits other) const { return with(arith::ShLIOp::create(*builder, loc, value, other.value)); }
  Bits operator>>(Bits other) const {
    return with(arith::ShRUIOp::create(*builder, loc, value, other.value));
  }
  Bits max(Bits other) const { return with(arith::MaxSIOp::create(*builder, loc, value, other.value)); }
  Bits min(Bits other) const { return with(arith::MinSIOp::create(*builder, loc, value, other.value)); }
  Value is(arith::CmpIPredicate predicate, Bits other) const {
    return arith::CmpIOp::create(*builder, loc, predicate, value, other.value);
  }
  Bits select(Value condition, Bits otherwise) const {
    return with(arith::SelectOp::create(*builder, loc, condition, value, otherwise.value));
  }
};
} // namespace

/// What is added to a magnitude before `shift` bits are dropped, so that they round as the mode says.
static Bits getRoundingTerm(Bits mantissa, Bits shift, Bits sign, RoundingMode mode) {
  Bits one = mantissa.with(1), zero = mantissa.with(0), all = (one << shift) - one;
  Bits half = one << (shift - one);
  Value isNegative = sign.is(arith::CmpIPredicate::ne, zero);
  switch (mode) {
  case RoundingMode::NearestEven:
    return half - one + ((mantissa >> shift) & one);
  case RoundingMode::NearestAway:
    return half;
  case RoundingMode::TowardZero:
    return zero;
  case RoundingMode::Down:
    return all.select(isNegative, zero);
  case RoundingMode::Up:
    return zero.select(isNegative, all);
  }
  llvm_unreachable("all rounding modes are listed above");
}

/// What replaces a code above the largest finite one.
static Bits getOverflowCode(Bits magnitude, Bits sign, RoundingMode mode, int64_t largest) {
  Bits finite = magnitude.with(largest), special = magnitude.with(largest + 1), zero = magnitude.with(0);
  Value isNegative = sign.is(arith::CmpIPredicate::ne, zero);
  // Infinity is exact, also where finite values do not round to it.
  Value isInfinite = magnitude.is(arith::CmpIPredicate::eq, magnitude.with(0x7f800000));
  if (mode == RoundingMode::TowardZero)
    return special.select(isInfinite, finite);
  if (mode == RoundingMode::Down)
    return special.select(isInfinite, special.select(isNegative, finite));
  if (mode == RoundingMode::Up)
    return special.select(isInfinite, finite.select(isNegative, special));
  return special;
}

// With the mantissa m and the exponent e of an f32, the code is ((biased - 1) << M) + round(m >> shift): a
// normal mantissa carries its leading one into the exponent, and so does a mantissa that rounds up to the
// next power of two. Subnormal results keep the exponent 1 and are shifted further.
Value ElementCaster::narrowInSoftware(Value value) {
  ScalarFormat format = getFloatFormat(to);
  RoundingMode mode = getRounding();
  int64_t mantissaBits = format.mantissaBits, rebias = 127 - format.getBias();
  int64_t padding = format.bits - 1 - format.exponentBits - mantissaBits;
  int64_t largest = int64_t(format.getMaxCode() >> padding);
  Bits word{&builder, loc, arith::BitcastOp::create(builder, loc, builder.getI32Type(), value)};
  Bits one = word.with(1), zero = word.with(0);
  Bits sign = word & word.with(int32_t(0x80000000)), magnitude = word & word.with(0x7fffffff);

  Bits exponent = magnitude >> word.with(23);
  Value isNormal = exponent.is(arith::CmpIPredicate::ne, zero);
  Bits mantissa = (magnitude & word.with(0x7fffff)) | word.with(0x800000).select(isNormal, zero);
  Bits resultExponent = exponent.max(one) - word.with(rebias), biased = resultExponent.max(one);
  // A shift of 31 drops everything, as any larger one would.
  Bits shift = (biased - resultExponent + word.with(23 - mantissaBits)).min(word.with(31));
  Bits rounded = (mantissa + getRoundingTerm(mantissa, shift, sign, mode)) >> shift;
  Bits code = ((biased - one) << word.with(mantissaBits)) + rounded;

  Value isTooLarge = code.is(arith::CmpIPredicate::sgt, word.with(largest));
  code = getOverflowCode(magnitude, sign, mode, largest).select(isTooLarge, code);
  int64_t quietNaN =
      format.specials == SpecialValues::IEEE ? largest + 1 + (int64_t(1) << (mantissaBits - 1)) : largest + 1;
  Value isNaN = magnitude.is(arith::CmpIPredicate::ugt, word.with(0x7f800000));
  code = word.with(quietNaN).select(isNaN, code) << word.with(padding);
  Value result = (code | (sign >> word.with(32 - format.bits))).value;
  if (format.bits < 32)
    result = arith::TruncIOp::create(builder, loc, builder.getIntegerType(format.bits), result);
  if (isa<Float8E4M3FNType, Float8E5M2Type>(to))
    return result;
  return arith::BitcastOp::create(builder, loc, getSlotType(to), result);
}
