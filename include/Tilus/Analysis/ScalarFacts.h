// What is known of an integer: the range it lies in and a number that divides it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the arithmetic on facts. It knows widths, not IR: ScalarAnalysis brings facts to the values of a
// kernel.
//
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilus {

/// The largest power of two that divides `value`; 2^63 for zero, which all of them divide.
uint64_t powerOfTwoPart(uint64_t value);

/// Facts on an integer of 1 to 64 bits, read as signed: it lies in [min, max] and `divisor` divides it. A
/// divisor of 0 belongs to the constant 0 alone. Facts are sound if every value that occurs satisfies them.
struct ScalarFacts {
  int64_t min = INT64_MIN;
  int64_t max = INT64_MAX;
  uint64_t divisor = 1;

  /// What is known of any integer of so many bits.
  static ScalarFacts any(unsigned width);
  static ScalarFacts constant(int64_t value);
  static ScalarFacts range(int64_t min, int64_t max);

  std::optional<int64_t> getConstant() const { return min == max ? std::optional(min) : std::nullopt; }
  bool isNonNegative() const { return min >= 0; }
  /// Whether all values are multiples of `factor`, which is not zero.
  bool isMultipleOf(uint64_t factor) const { return divisor % factor == 0; }
  /// Whether the facts allow this value.
  bool contains(int64_t value) const;

  /// What holds of a value of which one or the other holds.
  ScalarFacts join(const ScalarFacts &other) const;
  /// What holds of a value of which both hold. Facts that contradict each other give these facts: they are of
  /// values that never occur.
  ScalarFacts meet(const ScalarFacts &other) const;

  friend bool operator==(const ScalarFacts &a, const ScalarFacts &b) {
    return a.min == b.min && a.max == b.max && a.divisor == b.divisor;
  }
  friend bool operator!=(const ScalarFacts &a, const ScalarFacts &b) { return !(a == b); }
};

/// Prints `[0, 96] / 32`, or a constant alone.
llvm::raw_ostream &operator<<(llvm::raw_ostream &stream, const ScalarFacts &facts);

/// The operations of two operands that facts follow.
enum class ScalarBinary : uint8_t {
  Add,
  Sub,
  Mul,
  DivSigned,
  DivUnsigned,
  FloorDivSigned,
  CeilDivSigned,
  CeilDivUnsigned,
  RemSigned,
  RemUnsigned,
  MinSigned,
  MaxSigned,
  MinUnsigned,
  MaxUnsigned,
  And,
  Or,
  Xor,
  ShiftLeft,
  ShiftRightSigned,
  ShiftRightUnsigned
};

/// Facts on the result of an operation on integers of `width` bits. The result wraps around unless `noWrap`.
ScalarFacts evaluate(ScalarBinary operation, const ScalarFacts &a, const ScalarFacts &b, unsigned width,
                     bool noWrap = false);

/// Facts on a value of `from` bits read as unsigned.
ScalarFacts zeroExtend(const ScalarFacts &facts, unsigned from);

/// Facts on the low `width` bits.
ScalarFacts truncate(const ScalarFacts &facts, unsigned width);

/// The comparisons, in the order of arith.cmpi.
enum class ScalarCompare : uint8_t { EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE };

/// Whether the comparison holds for all values of the operands, or for none; nothing if neither is known.
std::optional<bool> compare(ScalarCompare comparison, const ScalarFacts &a, const ScalarFacts &b);

} // namespace tilus
