// Packed elements of 1 to 64 bits in a byte array, little end first: bit k is bit k%8 of byte k/8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <cstdint>

namespace tilus {

/// The lowest `bits` bits set, for 0 to 64 bits.
constexpr uint64_t lowBitMask(unsigned bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; }

/// The low `bits` bits (1 to 64) of `code` as a two's complement number.
constexpr int64_t signExtend(uint64_t code, unsigned bits) {
  return static_cast<int64_t>(code << (64 - bits)) >> (64 - bits);
}

/// The `bits` bits (1 to 64) that start at `bitOffset`. Bits past the end of the array read as zero.
uint64_t readElement(llvm::ArrayRef<uint8_t> bytes, uint64_t bitOffset, unsigned bits);

/// Stores the low `bits` bits (1 to 64) of `code` at `bitOffset` and leaves all other bits as they were.
/// Bits past the end of the array are dropped.
void writeElement(llvm::MutableArrayRef<uint8_t> bytes, uint64_t bitOffset, unsigned bits, uint64_t code);

} // namespace tilus
