// Tests of the names, ranges and decoding of element types; every code of the types up to 16 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/ScalarFormat.h"
#include "Tilus/Support/BitAccess.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace tilus;

static ScalarFormat get(llvm::StringRef name) { return *ScalarFormat::parse(name); }

/// All floating-point types of at most 16 bits.
static std::vector<std::string> getSmallFloatNames() {
  std::vector<std::string> names = {"f16", "bf16", "f8E4M3FN", "f8E5M2"};
  for (int bits = 3; bits <= 7; ++bits)
    for (int e = 1; e <= bits - 2; ++e)
      names.push_back("f" + std::to_string(bits) + "E" + std::to_string(e) + "M" +
                      std::to_string(bits - 1 - e) + "FN");
  return names;
}

TEST(ScalarFormat, NamesRoundTrip) {
  std::vector<std::string> names = getSmallFloatNames();
  for (const char *name : {"bool", "i1", "i4", "i7", "i64", "ui1", "ui8", "ui64", "f64", "f32", "tf32"})
    names.push_back(name);
  for (const std::string &name : names) {
    std::optional<ScalarFormat> format = ScalarFormat::parse(name);
    ASSERT_TRUE(format) << name;
    EXPECT_EQ(format->getName(), name);
  }
  EXPECT_EQ(get("u8").getName(), "ui8");
  EXPECT_EQ(get("si8").getName(), "i8");
  for (const char *name : {"", "i", "i0", "i65", "i08", "f8", "f8E4M3", "f8E4M3FNx", "f6E3M3FN", "f2E1M0FN",
                           "f3E0M2FN", "f9E4M4FN", "ui", "i-1", "index", "F16"})
    EXPECT_FALSE(ScalarFormat::parse(name)) << name;
}

// Against the definition of each type written as one formula over sign, exponent and mantissa.
TEST(ScalarFormat, DecodesEveryCodeByTheFormula) {
  for (const std::string &name : getSmallFloatNames()) {
    ScalarFormat format = get(name);
    int m = format.mantissaBits, e = format.exponentBits, bias = std::pow(2, e - 1) - 1;
    DecodeTable table = llvm::cantFail(DecodeTable::create(format));
    for (uint64_t code = 0; code < uint64_t(1) << format.bits; ++code) {
      int mantissa = code % (1 << m), exponent = (code >> m) % (1 << e), sign = code >> (m + e) ? -1 : 1;
      double expected = exponent == 0 ? std::pow(2.0, 1 - bias) * mantissa / (1 << m)
                                      : std::pow(2.0, exponent - bias) * (1 + double(mantissa) / (1 << m));
      bool top = exponent == (1 << e) - 1;
      if (top && format.bits >= 8 && name != "f8E4M3FN")
        expected = mantissa ? NAN : INFINITY;
      if (top && name == "f8E4M3FN" && mantissa == 7)
        expected = NAN;
      double actual = format.decode(code);
      if (std::isnan(expected)) {
        EXPECT_TRUE(std::isnan(actual)) << name << " " << code;
        EXPECT_TRUE(std::isnan(table[code]));
      } else {
        EXPECT_EQ(actual, sign * expected) << name << " " << code;
        EXPECT_EQ(table[code], actual);
      }
      EXPECT_EQ(std::signbit(actual), sign < 0) << name << " " << code;
    }
  }
}

TEST(ScalarFormat, DecodesNativeFloats) {
  for (float value : {0.0f, -0.0f, 1.5f, -3e38f, 1e-40f, INFINITY, -INFINITY}) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    EXPECT_EQ(get("f32").decode(bits), value);
    EXPECT_EQ(get("f32").encode(value, Overflow::Special), bits);
    double wide = value;
    uint64_t wideBits;
    std::memcpy(&wideBits, &wide, 8);
    EXPECT_EQ(get("f64").decode(wideBits), wide);
    EXPECT_EQ(get("f64").encode(wide, Overflow::Special), wideBits);
  }
  EXPECT_EQ(get("f64").decode(1), 0x1p-1074);
  // The hardware ignores the low 13 bits of a tf32 operand.
  EXPECT_EQ(get("tf32").decode(0x3f801fff), 1.0);
  EXPECT_EQ(get("tf32").decode(0x3f802000), 1.0 + 0x1p-10);
}

TEST(ScalarFormat, LargestValuesMatchThePublishedOnes) {
  auto largest = [](llvm::StringRef name) { return get(name).decode(get(name).getMaxCode()); };
  EXPECT_EQ(largest("f8E4M3FN"), 448);
  EXPECT_EQ(largest("f8E5M2"), 57344);
  EXPECT_EQ(largest("f6E3M2FN"), 28);
  EXPECT_EQ(largest("f6E2M3FN"), 7.5);
  EXPECT_EQ(largest("f4E2M1FN"), 6);
  EXPECT_EQ(largest("f16"), 65504);
  EXPECT_EQ(largest("bf16"), 0x1.fep127);
  EXPECT_EQ(largest("f32"), std::numeric_limits<float>::max());
  EXPECT_EQ(largest("f64"), std::numeric_limits<double>::max());
  EXPECT_EQ(largest("i4"), 7);
  EXPECT_EQ(largest("ui4"), 15);
}

TEST(ScalarFormat, IntegersDecodeAndBound) {
  EXPECT_EQ(get("i1").decodeInt(1), -1);
  EXPECT_EQ(get("ui1").decodeInt(1), 1);
  EXPECT_EQ(get("i4").decodeInt(0xf8), -8);
  EXPECT_EQ(get("bool").decodeInt(2), 1);
  EXPECT_EQ(get("ui64").decode(~uint64_t(0)), 0x1p64);
  EXPECT_EQ(get("i64").getMinInt(), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(get("i64").getMaxInt(), uint64_t(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(get("ui64").getMaxInt(), ~uint64_t(0));
  EXPECT_EQ(get("i3").getMinInt(), -4);
  EXPECT_EQ(get("ui3").getMaxInt(), 7u);
}

TEST(ScalarFormat, IntegersWithoutSignednessHoldBothRanges) {
  EXPECT_TRUE(get("i8").canHoldInt(-128) && get("i8").canHoldInt(255));
  EXPECT_FALSE(get("i8").canHoldInt(-129) || get("i8").canHoldInt(256));
  EXPECT_FALSE(get("ui8").canHoldInt(-1) || get("bool").canHoldInt(2) || get("bool").canHoldInt(-1));
  EXPECT_TRUE(get("i64").canHoldUInt(~uint64_t(0)) && get("ui64").canHoldUInt(~uint64_t(0)));
}

TEST(ScalarFormat, StorageIsPacked) {
  EXPECT_EQ(get("i4").getStorageBytes(3), 2u);
  EXPECT_EQ(get("f6E3M2FN").getStorageBytes(4), 3u);
  EXPECT_EQ(get("bool").getStorageBytes(3), 3u);
  EXPECT_EQ(get("f32").getStorageBytes(0), 0u);
  EXPECT_EQ(get("f64").getStorageBytes(uint64_t(1) << 60), std::nullopt);
}

TEST(ScalarFormat, DecodeTableRefusesWideTypes) {
  EXPECT_EQ(llvm::toString(DecodeTable::create(get("f32")).takeError()),
            "expected a type of at most 16 bits for a decode table, but got 'f32'");
}
