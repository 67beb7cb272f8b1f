// The XOR swizzle of shared-memory offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutSupport.h"

#include "llvm/ADT/Hashing.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilus {

/// A permutation of offsets: the `bits` bits from bit `base + shift` upwards are XORed onto those from bit
/// `base` upwards. With `shift >= bits` it is its own inverse. It permutes each aligned block of `2^(base +
/// bits)` offsets, and the pattern repeats after `2^(base + shift + bits)`.
struct Swizzle {
  int64_t base = 0;
  int64_t bits = 0;
  int64_t shift = 0;

  /// The swizzle with these parameters, or nullopt and an error unless `0 <= base`, `1 <= bits <= shift` and
  /// the bits lie within 40.
  static std::optional<Swizzle> get(int64_t base, int64_t bits, int64_t shift,
                                    ErrorCallback onError = nullptr);

  /// The swizzled offset.
  int64_t apply(int64_t offset) const {
    int64_t mask = ((int64_t(1) << bits) - 1) << (base + shift);
    return offset ^ ((offset & mask) >> shift);
  }
  /// The size of the aligned blocks of offsets that are permuted within themselves.
  int64_t getBlockSize() const { return int64_t(1) << (base + bits); }
  /// The distance after which the pattern repeats.
  int64_t getPeriod() const { return int64_t(1) << (base + shift + bits); }
  /// This swizzle of offsets in elements as a swizzle of offsets in units of `1/factor` element; `factor`
  /// must be a power of two.
  std::optional<Swizzle> scaleUp(int64_t factor) const;
  /// This swizzle of offsets in elements of `elementBits` bits as a swizzle of byte offsets. Nullopt if the
  /// size is not a power of two or the swizzle moves parts of a byte.
  std::optional<Swizzle> toBytes(int64_t elementBits) const;

  bool operator==(const Swizzle &other) const {
    return base == other.base && bits == other.bits && shift == other.shift;
  }
  bool operator!=(const Swizzle &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const Swizzle &swizzle) {
    return llvm::hash_combine(swizzle.base, swizzle.bits, swizzle.shift);
  }
  /// Prints `<base, bits, shift>`.
  void print(llvm::raw_ostream &os) const;
};

} // namespace tilus
