// Integer arithmetic on 64 bits: division with stated rounding, gcd, lcm, checked sums and products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace tilus {

/// `a / b` rounded towards minus infinity. Requires `b != 0` and not `INT64_MIN / -1`.
constexpr int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? quotient - 1 : quotient;
}

/// `a / b` rounded towards plus infinity. Requires `b != 0` and not `INT64_MIN / -1`.
constexpr int64_t ceilDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return (a % b != 0 && (a < 0) == (b < 0)) ? quotient + 1 : quotient;
}

/// The remainder of floorDiv: it has the sign of `b`. Requires `b != 0`.
constexpr int64_t floorMod(int64_t a, int64_t b) {
  if (b == -1)
    return 0;
  int64_t remainder = a % b;
  return (remainder != 0 && (remainder < 0) != (b < 0)) ? remainder + b : remainder;
}

/// The absolute value, which for INT64_MIN only an unsigned number can hold.
constexpr uint64_t magnitude(int64_t a) {
  return a < 0 ? -static_cast<uint64_t>(a) : static_cast<uint64_t>(a);
}

/// The greatest common divisor of the magnitudes; gcd(a, 0) is |a|.
constexpr uint64_t gcd(uint64_t a, uint64_t b) {
  while (b != 0) {
    uint64_t remainder = a % b;
    a = b;
    b = remainder;
  }
  return a;
}

/// The greatest common divisor of the magnitudes, at least 0. Requires that it fits: not both in {0,
/// INT64_MIN}.
constexpr int64_t gcd(int64_t a, int64_t b) { return static_cast<int64_t>(gcd(magnitude(a), magnitude(b))); }

/// `a + b`, or nothing where it overflows.
inline std::optional<int64_t> checkedAdd(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? std::nullopt : std::optional(sum);
}

/// `a - b`, or nothing where it overflows.
inline std::optional<int64_t> checkedSub(int64_t a, int64_t b) {
  int64_t difference;
  return __builtin_sub_overflow(a, b, &difference) ? std::nullopt : std::optional(difference);
}

/// `a * b`, or nothing where it overflows.
inline std::optional<int64_t> checkedMul(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::nullopt : std::optional(product);
}

/// The least common multiple of the magnitudes, or nothing where it overflows; lcm(a, 0) is 0.
inline std::optional<int64_t> lcm(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  uint64_t left = magnitude(a), right = magnitude(b), product;
  if (__builtin_mul_overflow(left / gcd(left, right), right, &product))
    return std::nullopt;
  if (product > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
    return std::nullopt;
  return static_cast<int64_t>(product);
}

/// Whether the quotient `a / b` exists and fits: `b` is not zero and the pair is not INT64_MIN, -1.
constexpr bool canDivide(int64_t a, int64_t b) {
  return b != 0 && !(a == std::numeric_limits<int64_t>::min() && b == -1);
}

} // namespace tilus
