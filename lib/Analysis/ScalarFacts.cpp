// Arithmetic on what is known of integers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges are computed without overflow in 128 bits; then it is decided whether the result fits its type.
// Where it does not, the result has wrapped around: only powers of two still divide it, for they divide
// 2^width too.
#include "Tilus/Analysis/ScalarFacts.h"
#include "Tilus/Support/IntMath.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;

using Wide = __int128;

static constexpr int64_t lowest(unsigned width) { return INT64_MIN >> (64 - width); }
static constexpr int64_t highest(unsigned width) { return INT64_MAX >> (64 - width); }
static constexpr Wide unsignedLimit(unsigned width) { return Wide(1) << width; }

uint64_t tilus::powerOfTwoPart(uint64_t value) {
  return value == 0 ? uint64_t(1) << 63 : value & (~value + 1);
}

/// Rounds the ends of the range to multiples of the divisor, and a constant's divisor to the constant. Facts
/// of values that never occur stay as they are.
static ScalarFacts normalize(ScalarFacts facts) {
  if (facts.divisor == 0)
    return facts.contains(0) ? ScalarFacts::constant(0) : facts;
  if (facts.divisor > 1 && facts.divisor <= uint64_t(INT64_MAX)) {
    Wide divisor = facts.divisor;
    Wide low = facts.min % divisor, high = facts.max % divisor;
    Wide min = facts.min - low + (low > 0 ? divisor : 0), max = facts.max - high - (high < 0 ? divisor : 0);
    if (min <= max) {
      facts.min = int64_t(min);
      facts.max = int64_t(max);
    }
  }
  if (facts.min == facts.max)
    facts.divisor = magnitude(facts.min);
  return facts;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

ScalarFacts ScalarFacts::any(unsigned width) { return {lowest(width), highest(width), 1}; }
ScalarFacts ScalarFacts::constant(int64_t value) { return {value, value, magnitude(value)}; }
ScalarFacts ScalarFacts::range(int64_t min, int64_t max) { return normalize({min, max, 1}); }

bool ScalarFacts::contains(int64_t value) const {
  bool divides = divisor == 0 ? value == 0 : magnitude(value) % divisor == 0;
  return min <= value && value <= max && divides;
}

ScalarFacts ScalarFacts::join(const ScalarFacts &other) const {
  return normalize({std::min(min, other.min), std::max(max, other.max), gcd(divisor, other.divisor)});
}

ScalarFacts ScalarFacts::meet(const ScalarFacts &other) const {
  ScalarFacts both{std::max(min, other.min), std::min(max, other.max), divisor};
  if (both.min > both.max)
    return *this;
  unsigned __int128 multiple = 0; // the least common one
  if (divisor != 0 && other.divisor != 0)
    multiple = static_cast<unsigned __int128>(divisor / gcd(divisor, other.divisor)) * other.divisor;
  both.divisor = multiple <= UINT64_MAX ? uint64_t(multiple) : std::max(divisor, other.divisor);
  return normalize(both);
}

llvm::raw_ostream &tilus::operator<<(llvm::raw_ostream &stream, const ScalarFacts &facts) {
  if (std::optional<int64_t> value = facts.getConstant())
    return stream << *value;
  return stream << "[" << facts.min << ", " << facts.max << "] / " << facts.divisor;
}

//===----------------------------------------------------------------------===//
// Exact results and their types
//===----------------------------------------------------------------------===//

/// Facts on a result that without bounds on its type would lie in [min, max] and be a multiple of `divisor`.
static ScalarFacts fit(Wide min, Wide max, uint64_t divisor, unsigned width, bool noWrap = false) {
  Wide low = lowest(width), high = highest(width);
  if (noWrap && min <= high && max >= low) {
    min = std::max(min, low);
    max = std::min(max, high);
  }
  if (min >= low && max <= high)
    return normalize({int64_t(min), int64_t(max), divisor});
  ScalarFacts wrapped = ScalarFacts::any(width);
  wrapped.divisor = std::min(powerOfTwoPart(divisor), uint64_t(1) << (width - 1));
  return normalize(wrapped);
}

/// Facts on a result that is one of the ends of these corners, or between them.
static ScalarFacts fitCorners(llvm::ArrayRef<Wide> corners, uint64_t divisor, unsigned width,
                              bool noWrap = false) {
  auto [min, max] = std::minmax_element(corners.begin(), corners.end());
  return fit(*min, *max, divisor, width, noWrap);
}

/// A number that divides the products of multiples of `a` and `b`: their product, if it can be held.
static uint64_t multiplyDivisors(uint64_t a, uint64_t b) {
  unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
  return product <= UINT64_MAX ? uint64_t(product) : std::max(powerOfTwoPart(a), powerOfTwoPart(b));
}

static ScalarFacts evaluateMul(const ScalarFacts &a, const ScalarFacts &b, unsigned width, bool noWrap) {
  Wide corners[] = {Wide(a.min) * b.min, Wide(a.min) * b.max, Wide(a.max) * b.min, Wide(a.max) * b.max};
  return fitCorners(corners, multiplyDivisors(a.divisor, b.divisor), width, noWrap);
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

enum class Round : uint8_t { Zero, Down, Up };

static Wide divide(Wide a, Wide b, Round round) {
  Wide quotient = a / b;
  if (a % b == 0 || round == Round::Zero)
    return quotient;
  bool isBelowZero = (a < 0) != (b < 0);
  if (round == Round::Down)
    return isBelowZero ? quotient - 1 : quotient;
  return isBelowZero ? quotient : quotient + 1;
}

/// The signed quotient. A division by zero never happens, so the divisors are cut into those below and above.
static ScalarFacts evaluateDiv(const ScalarFacts &a, const ScalarFacts &b, Round round, unsigned width) {
  llvm::SmallVector<Wide, 8> corners;
  auto addCorners = [&](Wide low, Wide high) {
    if (low <= high)
      for (Wide numerator : {Wide(a.min), Wide(a.max)})
        for (Wide denominator : {low, high})
          corners.push_back(divide(numerator, denominator, round));
  };
  addCorners(b.min, std::min<Wide>(b.max, -1));
  addCorners(std::max<Wide>(b.min, 1), b.max);
  if (corners.empty())
    return ScalarFacts::any(width);
  std::optional<int64_t> denominator = b.getConstant();
  bool isExact = denominator && a.isMultipleOf(magnitude(*denominator));
  return fitCorners(corners, isExact ? a.divisor / magnitude(*denominator) : 1, width);
}

static ScalarFacts evaluateDivUnsigned(const ScalarFacts &a, const ScalarFacts &b, Round round,
                                       unsigned width) {
  if (a.isNonNegative() && b.isNonNegative())
    return evaluateDiv(a, b, round, width);
  if (b.min < 2)
    return ScalarFacts::any(width);
  return fit(0, divide(unsignedLimit(width) - 1, b.min, round), 1, width);
}

/// The signed remainder: of the sign of `a`, smaller than `b`, and `a` less a multiple of `b`.
static ScalarFacts evaluateRem(const ScalarFacts &a, const ScalarFacts &b, unsigned width) {
  Wide least = b.min > 0 ? Wide(b.min) : b.max < 0 ? -Wide(b.max) : 1;
  if (a.max < least && a.min > -least)
    return a;
  Wide most = std::max<Wide>({1, b.max, -Wide(b.min)}) - 1;
  Wide min = a.min < 0 ? -std::min(most, -Wide(a.min)) : 0, max = a.max > 0 ? std::min<Wide>(most, a.max) : 0;
  return fit(min, max, gcd(a.divisor, b.divisor), width);
}

static ScalarFacts evaluateRemUnsigned(const ScalarFacts &a, const ScalarFacts &b, unsigned width) {
  if (a.isNonNegative() && b.isNonNegative())
    return evaluateRem(a, b, width);
  if (b.min < 1)
    return ScalarFacts::any(width);
  uint64_t divisor = a.isNonNegative() ? a.divisor : powerOfTwoPart(a.divisor);
  return fit(0, Wide(b.max) - 1, gcd(divisor, b.divisor), width);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static ScalarFacts evaluateAnd(const ScalarFacts &a, const ScalarFacts &b, unsigned width) {
  ScalarFacts result = ScalarFacts::any(width);
  for (const ScalarFacts *facts : {&a, &b})
    if (facts->isNonNegative()) {
      result.min = 0;
      result.max = std::min(result.max, facts->max);
    }
  result.divisor = std::max(powerOfTwoPart(a.divisor), powerOfTwoPart(b.divisor));
  return normalize(result);
}

/// Facts on a result that has no bit which neither operand has.
static ScalarFacts evaluateOr(const ScalarFacts &a, const ScalarFacts &b, unsigned width, bool isXor) {
  ScalarFacts result = ScalarFacts::any(width);
  if (a.isNonNegative() && b.isNonNegative()) {
    uint64_t bits = uint64_t(a.max) | uint64_t(b.max);
    result.max = bits == 0 ? 0 : int64_t(~uint64_t(0) >> llvm::countl_zero(bits));
    result.min = isXor ? 0 : std::max(a.min, b.min);
  }
  result.divisor = std::min(powerOfTwoPart(a.divisor), powerOfTwoPart(b.divisor));
  return normalize(result);
}

static ScalarFacts evaluateShift(ScalarBinary operation, const ScalarFacts &a, const ScalarFacts &b,
                                 unsigned width, bool noWrap) {
  if (b.min < 0 || b.max >= int64_t(width))
    return ScalarFacts::any(width);
  Wide low = Wide(1) << b.min, high = Wide(1) << b.max;
  if (operation == ScalarBinary::ShiftLeft) {
    Wide corners[] = {a.min * low, a.min * high, a.max * low, a.max * high};
    return fitCorners(corners, multiplyDivisors(a.divisor, uint64_t(1) << b.min), width, noWrap);
  }
  if (operation == ScalarBinary::ShiftRightUnsigned && !a.isNonNegative()) {
    Wide most = (unsignedLimit(width) - 1) >> b.min;
    return b.min == 0 ? ScalarFacts::any(width) : fit(0, most, 1, width);
  }
  ScalarFacts shift{int64_t(1) << std::min<int64_t>(b.min, 62), int64_t(1) << std::min<int64_t>(b.max, 62),
                    1};
  if (b.max > 62)
    return ScalarFacts::range(a.isNonNegative() ? 0 : a.min, a.max < 0 ? -1 : a.max);
  return evaluateDiv(a, normalize(shift), Round::Down, width);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

static ScalarFacts evaluateMin(const ScalarFacts &a, const ScalarFacts &b) {
  if (a.max <= b.min)
    return a;
  return b.max <= a.min
             ? b
             : normalize({std::min(a.min, b.min), std::min(a.max, b.max), gcd(a.divisor, b.divisor)});
}

static ScalarFacts evaluateMax(const ScalarFacts &a, const ScalarFacts &b) {
  if (a.min >= b.max)
    return a;
  return b.min >= a.max
             ? b
             : normalize({std::max(a.min, b.min), std::max(a.max, b.max), gcd(a.divisor, b.divisor)});
}

/// The result of bit operations on constants, which the rules on ranges do not give.
static std::optional<ScalarFacts> evaluateConstantBits(ScalarBinary operation, const ScalarFacts &a,
                                                       const ScalarFacts &b) {
  std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
  if (!left || !right)
    return std::nullopt;
  if (operation == ScalarBinary::And)
    return ScalarFacts::constant(*left & *right);
  if (operation == ScalarBinary::Or)
    return ScalarFacts::constant(*left | *right);
  if (operation == ScalarBinary::Xor)
    return ScalarFacts::constant(*left ^ *right);
  return std::nullopt;
}

ScalarFacts tilus::evaluate(ScalarBinary operation, const ScalarFacts &a, const ScalarFacts &b,
                            unsigned width, bool noWrap) {
  if (std::optional<ScalarFacts> bits = evaluateConstantBits(operation, a, b))
    return *bits;
  bool isNonNegative = a.isNonNegative() && b.isNonNegative();
  switch (operation) {
  case ScalarBinary::Add:
    return fit(Wide(a.min) + b.min, Wide(a.max) + b.max, gcd(a.divisor, b.divisor), width, noWrap);
  case ScalarBinary::Sub:
    return fit(Wide(a.min) - b.max, Wide(a.max) - b.min, gcd(a.divisor, b.divisor), width, noWrap);
  case ScalarBinary::Mul:
    return evaluateMul(a, b, width, noWrap);
  case ScalarBinary::DivSigned:
    return evaluateDiv(a, b, Round::Zero, width);
  case ScalarBinary::FloorDivSigned:
    return evaluateDiv(a, b, Round::Down, width);
  case ScalarBinary::CeilDivSigned:
    return evaluateDiv(a, b, Round::Up, width);
  case ScalarBinary::DivUnsigned:
    return evaluateDivUnsigned(a, b, Round::Zero, width);
  case ScalarBinary::CeilDivUnsigned:
    return evaluateDivUnsigned(a, b, Round::Up, width);
  case ScalarBinary::RemSigned:
    return evaluateRem(a, b, width);
  case ScalarBinary::RemUnsigned:
    return evaluateRemUnsigned(a, b, width);
  case ScalarBinary::MinSigned:
    return evaluateMin(a, b);
  case ScalarBinary::MaxSigned:
    return evaluateMax(a, b);
  case ScalarBinary::MinUnsigned:
    return isNonNegative ? evaluateMin(a, b) : a.join(b);
  case ScalarBinary::MaxUnsigned:
    return isNonNegative ? evaluateMax(a, b) : a.join(b);
  case ScalarBinary::And:
    return evaluateAnd(a, b, width);
  case ScalarBinary::Or:
    return evaluateOr(a, b, width, /*isXor=*/false);
  case ScalarBinary::Xor:
    return evaluateOr(a, b, width, /*isXor=*/true);
  case ScalarBinary::ShiftLeft:
  case ScalarBinary::ShiftRightSigned:
  case ScalarBinary::ShiftRightUnsigned:
    return evaluateShift(operation, a, b, width, noWrap);
  }
  return ScalarFacts::any(width);
}

ScalarFacts tilus::zeroExtend(const ScalarFacts &facts, unsigned from) {
  if (facts.isNonNegative() || from == 64)
    return facts;
  Wide limit = unsignedLimit(from);
  if (facts.max < 0)
    return fit(facts.min + limit, facts.max + limit, powerOfTwoPart(facts.divisor), 64);
  return fit(0, limit - 1, std::min(powerOfTwoPart(facts.divisor), uint64_t(1) << from), 64);
}

ScalarFacts tilus::truncate(const ScalarFacts &facts, unsigned width) {
  return fit(facts.min, facts.max, facts.divisor, width);
}

std::optional<bool> tilus::compare(ScalarCompare comparison, const ScalarFacts &a, const ScalarFacts &b) {
  auto isBelow = [](const ScalarFacts &a, const ScalarFacts &b) -> std::optional<bool> {
    if (a.max < b.min)
      return true;
    return a.min >= b.max ? std::optional(false) : std::nullopt;
  };
  auto negate = [](std::optional<bool> value) { return value ? std::optional(!*value) : std::nullopt; };
  auto isEqual = [&]() -> std::optional<bool> {
    if (a.getConstant() && a == b)
      return true;
    std::optional<int64_t> left = a.getConstant(), right = b.getConstant();
    bool isApart =
        a.max < b.min || b.max < a.min || (left && !b.contains(*left)) || (right && !a.contains(*right));
    return isApart ? std::optional(false) : std::nullopt;
  };
  bool isUnsigned = comparison >= ScalarCompare::ULT;
  if (isUnsigned && !(a.isNonNegative() && b.isNonNegative()))
    return std::nullopt;
  switch (comparison) {
  case ScalarCompare::EQ:
    return isEqual();
  case ScalarCompare::NE:
    return negate(isEqual());
  case ScalarCompare::SLT:
  case ScalarCompare::ULT:
    return isBelow(a, b);
  case ScalarCompare::SGT:
  case ScalarCompare::UGT:
    return isBelow(b, a);
  case ScalarCompare::SLE:
  case ScalarCompare::ULE:
    return negate(isBelow(b, a));
  case ScalarCompare::SGE:
  case ScalarCompare::UGE:
    return negate(isBelow(a, b));
  }
  return std::nullopt;
}
