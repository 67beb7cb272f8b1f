// Tests of conversions: all codes of narrow floats, rounding, saturation, integers of any width.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include "Tilus/Support/ScalarFormat.h"
#include <cmath>

using namespace tilus;

namespace {
class ConversionTest : public ReferenceTest {
protected:
  template <typename Out, typename In>
  std::vector<Out> convert(llvm::StringRef op, llvm::StringRef from, llvm::StringRef to, std::vector<In> in,
                           int64_t n, llvm::StringRef flags = "") {
    std::vector<Out> out(n);
    std::string size = std::to_string(n),
                body = ("%r = " + op + " %a " + flags + " : tensor<" + size + "x" + from + "> " +
                        (op == "tilus.cast" ? "-> " : "to ") + "tensor<" + size + "x" + to + ">")
                           .str();
    EXPECT_TRUE(runElementwise(from, to, body, n, {Arg::buffer(in)}, Arg::buffer(out))) << getError();
    return out;
  }
};
} // namespace

using testing::ElementsAre;

// e4m3 by its definition: bias 7, code 7f is NaN, no infinity; e5m2 is an f16 cut to its upper byte.
TEST_F(ConversionTest, DecodesAllCodesOfFp8) {
  std::vector<uint8_t> codes(256);
  for (int i = 0; i < 256; ++i)
    codes[i] = i;
  std::vector<float> four = convert<float>("tilus.cast", "f8E4M3FN", "f32", codes, 256);
  std::vector<float> five = convert<float>("arith.extf", "f8E5M2", "f32", codes, 256);
  for (int i = 0; i < 256; ++i) {
    int exponent = (i >> 3) & 15, mantissa = i & 7;
    float expected = std::ldexp(float(exponent ? 8 + mantissa : mantissa), std::max(exponent, 1) - 10) *
                     (i & 128 ? -1 : 1);
    if ((i & 127) == 127)
      EXPECT_TRUE(std::isnan(four[i])) << i;
    else
      EXPECT_EQ(four[i], expected) << i;
    uint16_t bits = i << 8;
    _Float16 half;
    std::memcpy(&half, &bits, 2);
    EXPECT_TRUE(five[i] == float(half) || (std::isnan(five[i]) && std::isnan(float(half)))) << i;
  }
}

TEST_F(ConversionTest, EncodesFp8WithAndWithoutSaturation) {
  std::vector<float> wide = {57344, 61440, 1e6f, INFINITY, -INFINITY},
                     narrow = {448, 464, 465, INFINITY, -INFINITY};
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "f8E5M2", wide, 5),
              ElementsAre(0x7b, 0x7c, 0x7c, 0x7c, 0xfc));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "f8E5M2", wide, 5, "saturate"),
              ElementsAre(0x7b, 0x7b, 0x7b, 0x7b, 0xfb));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "f8E4M3FN", narrow, 5),
              ElementsAre(0x7e, 0x7e, 0x7f, 0x7f, 0xff));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "f8E4M3FN", narrow, 5, "saturate"),
              ElementsAre(0x7e, 0x7e, 0x7e, 0x7e, 0xfe));
  std::vector<float> nan = {NAN};
  EXPECT_EQ(convert<uint8_t>("tilus.cast", "f32", "f8E4M3FN", nan, 1, "saturate")[0] & 127, 127);
  EXPECT_GT(convert<uint8_t>("tilus.cast", "f32", "f8E5M2", nan, 1, "saturate")[0] & 127, 0x7c);
}

// Types without NaN take it as zero and always saturate. Two 4-bit elements to a byte, little end first.
TEST_F(ConversionTest, EncodesTypesWithoutNaN) {
  std::vector<float> values = {6, 7, -100, NAN, 0.25f, 0.75f, 2.5f, 3.5f};
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "f4E2M1FN", values, 8),
              ElementsAre(0x77, 0x0f, 0x20, 0x64, 0, 0, 0, 0));
}

TEST_F(ConversionTest, RoundsAsStated) {
  std::vector<float> values = {1.001f, -1.001f, 65519.f, 65520.f, 1e-8f, 2049.f};
  std::vector<uint16_t> nearest = convert<uint16_t>("tilus.cast", "f32", "f16", values, 6);
  EXPECT_THAT(nearest, ElementsAre(0x3c01, 0xbc01, 0x7bff, 0x7c00, 0x0000, 0x6800));
  EXPECT_THAT(convert<uint16_t>("tilus.cast", "f32", "f16", values, 6, "rounding(up)"),
              ElementsAre(0x3c02, 0xbc01, 0x7c00, 0x7c00, 0x0001, 0x6801));
  EXPECT_THAT(convert<uint16_t>("tilus.cast", "f32", "f16", values, 6, "rounding(down)"),
              ElementsAre(0x3c01, 0xbc02, 0x7bff, 0x7bff, 0x0000, 0x6800));
  EXPECT_THAT(convert<uint16_t>("tilus.cast", "f32", "f16", values, 6, "rounding(toward_zero)"),
              ElementsAre(0x3c01, 0xbc01, 0x7bff, 0x7bff, 0x0000, 0x6800));
  std::vector<int32_t> large = {16777217, -16777217};
  EXPECT_THAT(convert<float>("arith.sitofp", "i32", "f32", large, 2), ElementsAre(16777216.f, -16777216.f));
  EXPECT_THAT(convert<float>("arith.uitofp", "i32", "f32", large, 2)[1], float(uint32_t(-16777217)));
}

TEST_F(ConversionTest, ConvertsFloatsToIntegers) {
  std::vector<float> values = {-1.9f, 300.f, 3e9f, NAN, -3e9f, INFINITY};
  EXPECT_THAT(convert<int32_t>("tilus.cast", "f32", "i32", values, 6),
              ElementsAre(-1, 300, INT32_MAX, 0, INT32_MIN, INT32_MAX));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "i8", values, 6),
              ElementsAre(0xff, 44, 0xff, 0, 0, 0xff));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "i8", values, 6, "saturate"),
              ElementsAre(0xff, 127, 127, 0, 0x80, 127));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "i8", values, 6, "saturate unsigned_result"),
              ElementsAre(0, 255, 255, 0, 0, 255));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "f32", "i1", values, 6), ElementsAre(1, 1, 1, 1, 1, 1));
  EXPECT_THAT(convert<int64_t>("arith.fptosi", "f32", "i64", values, 3), ElementsAre(-1, 300, 3000000000));
}

// All 256 bytes as two nibbles, low first, signed and not.
TEST_F(ConversionTest, DecodesNibbles) {
  std::vector<uint8_t> bytes(256);
  for (int i = 0; i < 256; ++i)
    bytes[i] = i;
  std::vector<int32_t> sign = convert<int32_t>("tilus.cast", "i4", "i32", bytes, 512);
  std::vector<int32_t> noSign = convert<int32_t>("tilus.cast", "i4", "i32", bytes, 512, "unsigned_source");
  std::vector<int32_t> extended = convert<int32_t>("arith.extsi", "i4", "i32", bytes, 512);
  for (int i = 0; i < 512; ++i) {
    int nibble = (bytes[i / 2] >> (i % 2 * 4)) & 15;
    EXPECT_EQ(noSign[i], nibble);
    EXPECT_EQ(sign[i], nibble >= 8 ? nibble - 16 : nibble);
    EXPECT_EQ(extended[i], sign[i]);
  }
}

TEST_F(ConversionTest, ReadsBooleansAsArithAndCastDo) {
  std::vector<uint8_t> values = {0, 1, 255};
  EXPECT_THAT(convert<int32_t>("arith.extsi", "i1", "i32", values, 3), ElementsAre(0, -1, -1));
  EXPECT_THAT(convert<int32_t>("tilus.cast", "i1", "i32", values, 3), ElementsAre(0, 1, 1));
  EXPECT_THAT(convert<float>("arith.sitofp", "i1", "f32", values, 3), ElementsAre(0, -1, -1));
  std::vector<int32_t> ints = {2, -1, 0};
  EXPECT_THAT(convert<uint8_t>("arith.trunci", "i32", "i1", ints, 3), ElementsAre(0, 1, 0));
  EXPECT_THAT(convert<uint8_t>("tilus.cast", "i32", "i1", ints, 3), ElementsAre(1, 1, 0));
}

// A subnormal constant keeps its bits.
TEST_F(ConversionTest, KeepsSubnormalConstants) {
  std::vector<uint32_t> out(1);
  EXPECT_TRUE(runElementwise("f32", "f32", "%r = arith.constant dense<1.0e-40> : tensor<1xf32>", 1, {},
                             Arg::buffer(out)));
  EXPECT_EQ(out[0], 0x000116C2u);
}

TEST_F(ConversionTest, RoundsIntoTf32AwayFromZeroAtTies) {
  std::vector<uint32_t> bits = {0x3f801000, 0x3f800fff, 0xbf803000};
  EXPECT_THAT(convert<uint32_t>("tilus.cast", "f32", "tf32", bits, 3),
              ElementsAre(0x3f802000, 0x3f800000, 0xbf804000));
}
