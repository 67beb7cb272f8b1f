// Packed elements of 1 to 64 bits in a byte array.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BitAccess.h"

#include <algorithm>

namespace tilus {

uint64_t readElement(llvm::ArrayRef<uint8_t> bytes, uint64_t bitOffset, unsigned bits) {
  uint64_t code = 0;
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
