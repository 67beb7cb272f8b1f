// The XOR swizzle of shared-memory offsets.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/Swizzle.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilus {

std::optional<Swizzle> Swizzle::get(int64_t base, int64_t bits, int64_t shift, ErrorCallback onError) {
  constexpr int64_t kMaxBits = 40;
  auto isSmall = [](int64_t value) { return value >= 0 && value <= kMaxBits; };
  if (!isSmall(base) || !isSmall(bits) || !isSmall(shift) || bits < 1 || bits > shift ||
      base + shift + bits > kMaxBits)
    return reportError(onError,
                       "expected a swizzle <base, bits, shift> with base >= 0, 1 <= bits <= shift and "
                       "at most 40 bits in all, but got <" +
                           Twine(base) + ", " + Twine(bits) + ", " + Twine(shift) + ">");
  return Swizzle{base, bits, shift};
}

std::optional<Swizzle> Swizzle::scaleUp(int64_t factor) const {
  if (factor <= 0 || !isPowerOf2_64(factor))
    return std::nullopt;
  return get(base + Log2_64(factor), bits, shift);
}

std::optional<Swizzle> Swizzle::toBytes(int64_t elementBits) const {
  if (elementBits <= 0 || !isPowerOf2_64(elementBits))
    return std::nullopt;
  return get(base + int64_t(Log2_64(elementBits)) - 3, bits, shift);
}

void Swizzle::print(raw_ostream &os) const { os << '<' << base << ", " << bits << ", " << shift << '>'; }

} // namespace tilus
