// Tests of the packed element access, against a string of single bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BitAccess.h"

#include "gtest/gtest.h"
#include <array>
#include <vector>

using namespace tilus;

static bool getBit(llvm::ArrayRef<uint8_t> bytes, uint64_t bit) { return (bytes[bit / 8] >> (bit % 8)) & 1; }

TEST(BitAccess, ReadsAndWritesEveryWidthAtEveryOffset) {
  for (unsigned bits = 1; bits <= 64; ++bits) {
    for (unsigned offset = 0; offset < 16; ++offset) {
      for (uint8_t fill : {0x00, 0xff, 0xa5}) {
        std::array<uint8_t, 10> bytes;
        bytes.fill(fill);
        std::array<uint8_t, 10> before = bytes;
        uint64_t code = 0x9e3779b97f4a7c15 >> (offset % 3);
        writeElement(bytes, offset, bits, code);
        for (unsigned bit = 0; bit < 80; ++bit) {
          bool inside = bit >= offset && bit < offset + bits;
          EXPECT_EQ(getBit(bytes, bit), inside ? (code >> (bit - offset)) & 1 : getBit(before, bit));
        }
        EXPECT_EQ(readElement(bytes, offset, bits), code & lowBitMask(bits));
      }
    }
  }
}

TEST(BitAccess, PacksSixBitElementsLittleEndFirst) {
  std::array<uint8_t, 3> bytes = {};
  const uint8_t a[] = {0x2b, 0x15, 0x3e, 0x07};
  for (unsigned i = 0; i < 4; ++i)
    writeElement(bytes, 6 * i, 6, a[i]);
  EXPECT_EQ(bytes[0], uint8_t(a[0] | a[1] << 6));
  EXPECT_EQ(bytes[1], uint8_t(a[1] >> 2 | a[2] << 4));
  EXPECT_EQ(bytes[2], uint8_t(a[2] >> 4 | a[3] << 2));
}

// The low nibble of a byte is the first element, at odd element offsets too.
TEST(BitAccess, DecodesSignedNibblesOfEveryByte) {
  for (unsigned value = 0; value < 256; ++value) {
    std::array<uint8_t, 2> bytes = {0, uint8_t(value)};
    int low = value % 16, high = value / 16;
    EXPECT_EQ(signExtend(readElement(bytes, 8, 4), 4), low < 8 ? low : low - 16);
    EXPECT_EQ(signExtend(readElement(bytes, 12, 4), 4), high < 8 ? high : high - 16);
    EXPECT_EQ(readElement(bytes, 12, 4), unsigned(high));
  }
}

TEST(BitAccess, StaysInsideTheArray) {
  std::vector<uint8_t> bytes = {0xff};
  EXPECT_EQ(readElement(bytes, 4, 8), 0x0fu);
  EXPECT_EQ(readElement(bytes, 64, 8), 0u);
  writeElement(bytes, 6, 64, 0);
  EXPECT_EQ(bytes[0], 0x3f);
}
