// Packed elements of 1 to 64 bits in a byte array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BitAccess.h"

#include "llvm/Support/Endian.h"
#include <algorithm>
#include <cstring>

namespace tilus {

static_assert(llvm::endianness::native == llvm::endianness::little,
              "elements are copied as they lie in memory");

uint64_t readElement(llvm::ArrayRef<uint8_t> bytes, uint64_t bitOffset, unsigned bits) {
  uint64_t code = 0, first = bitOffset / 8;
  // Nearly always the element lies within eight bytes that are all there.
  if (bytes.size() >= 8 && first <= bytes.size() - 8 && bitOffset % 8 + bits <= 64) {
    std::memcpy(&code, bytes.data() + first, 8);
    return (code >> (bitOffset % 8)) & lowBitMask(bits);
  }
  for (unsigned done = 0; done < bits;) {
    uint64_t index = bitOffset / 8;
    unsigned within = bitOffset % 8, taken = std::min(8 - within, bits - done);
    if (index >= bytes.size())
      break;
    code |= ((bytes[index] >> within) & lowBitMask(taken)) << done;
    done += taken;
    bitOffset += taken;
  }
  return code;
}

void writeElement(llvm::MutableArrayRef<uint8_t> bytes, uint64_t bitOffset, unsigned bits, uint64_t code) {
  // Only the element's own bytes are written, so that threads may write neighbours of whole bytes.
  uint64_t first = bitOffset / 8, whole = bits / 8;
  if (bitOffset % 8 == 0 && bits % 8 == 0 && whole <= bytes.size() && first <= bytes.size() - whole) {
    std::memcpy(bytes.data() + first, &code, whole);
    return;
  }
  for (unsigned done = 0; done < bits;) {
    uint64_t index = bitOffset / 8;
    unsigned within = bitOffset % 8, taken = std::min(8 - within, bits - done);
    if (index >= bytes.size())
      return;
    uint8_t mask = lowBitMask(taken) << within;
    bytes[index] = (bytes[index] & ~mask) | (((code >> done) << within) & mask);
    done += taken;
    bitOffset += taken;
  }
}

} // namespace tilus
