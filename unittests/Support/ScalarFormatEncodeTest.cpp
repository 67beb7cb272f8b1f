// Tests of encoding: nearest value by search over all codes, ties, subnormals, overflow, single rounding.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/BitAccess.h"
#include "Tilus/Support/ScalarFormat.h"

#include "llvm/ADT/bit.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tilus;

static constexpr double inf = std::numeric_limits<double>::infinity();
static constexpr double nan_ = std::numeric_limits<double>::quiet_NaN();

static ScalarFormat get(llvm::StringRef name) { return *ScalarFormat::parse(name); }

static uint64_t special(llvm::StringRef name, double value) {
  return get(name).encode(value, Overflow::Special);
}
static uint64_t saturate(llvm::StringRef name, double value) {
  return get(name).encode(value, Overflow::Saturate);
}

static const char *const smallFloats[] = {"f16",      "bf16",     "f8E4M3FN", "f8E5M2",   "f7E5M1FN",
                                          "f7E2M4FN", "f6E3M2FN", "f6E2M3FN", "f6E4M1FN", "f5E1M3FN",
                                          "f5E2M2FN", "f4E2M1FN", "f4E1M2FN", "f3E1M1FN"};

TEST(ScalarFormatEncode, EveryCodeRoundTrips) {
  for (const char *name : smallFloats) {
    ScalarFormat format = get(name);
    for (uint64_t code = 0; code < uint64_t(1) << format.bits; ++code) {
      double value = format.decode(code);
      uint64_t expected = code;
      if (std::isnan(value) && format.hasInfinity())
        expected |= uint64_t(1) << (format.mantissaBits - 1); // NaN comes back quiet
      EXPECT_EQ(format.encode(value, Overflow::Special), expected) << name;
      if (!std::isinf(value))
        EXPECT_EQ(format.encode(value, Overflow::Saturate), expected) << name;
    }
  }
}

// Between two neighbouring values: below, at and above the midpoint.
TEST(ScalarFormatEncode, RoundsToNearestEven) {
  for (const char *name : smallFloats) {
    ScalarFormat format = get(name);
    for (uint64_t code = 0; code < format.getMaxCode(); ++code) {
      double low = format.decode(code), high = format.decode(code + 1), middle = (low + high) / 2;
      uint64_t sign = uint64_t(1) << (format.bits - 1);
      EXPECT_EQ(special(name, middle), code % 2 ? code + 1 : code) << name << " " << middle;
      EXPECT_EQ(special(name, std::nextafter(middle, 0)), code) << name << " " << middle;
      EXPECT_EQ(special(name, std::nextafter(middle, inf)), code + 1) << name << " " << middle;
      EXPECT_EQ(special(name, -std::nextafter(middle, inf)), sign | (code + 1)) << name << " " << middle;
    }
  }
}

TEST(ScalarFormatEncode, FP8OverflowIsExact) {
  EXPECT_EQ(special("f8E5M2", 57344), 0x7bu);
  EXPECT_EQ(special("f8E5M2", std::nextafter(61440, 0)), 0x7bu);
  EXPECT_EQ(special("f8E5M2", 61440), 0x7cu);
  EXPECT_EQ(special("f8E5M2", 1e6), 0x7cu);
  EXPECT_EQ(special("f8E5M2", inf), 0x7cu);
  EXPECT_EQ(special("f8E5M2", -inf), 0xfcu);
  EXPECT_EQ(special("f8E5M2", nan_), 0x7eu);
  EXPECT_EQ(special("f8E4M3FN", 448), 0x7eu);
  EXPECT_EQ(special("f8E4M3FN", 464), 0x7eu);
  EXPECT_EQ(special("f8E4M3FN", 465), 0x7fu);
  EXPECT_EQ(special("f8E4M3FN", inf), 0x7fu);
  EXPECT_EQ(special("f8E4M3FN", -inf), 0xffu);
  EXPECT_EQ(special("f8E4M3FN", nan_), 0x7fu);
  for (double value : {61440.0, 1e6, 1e300, inf}) {
    EXPECT_EQ(saturate("f8E5M2", value), 0x7bu);
    EXPECT_EQ(saturate("f8E5M2", -value), 0xfbu);
    EXPECT_EQ(saturate("f8E4M3FN", value), 0x7eu);
    EXPECT_EQ(saturate("f8E4M3FN", -value), 0xfeu);
  }
  EXPECT_TRUE(std::isnan(get("f8E5M2").decode(saturate("f8E5M2", nan_))));
  EXPECT_EQ(saturate("f8E4M3FN", nan_), 0x7fu);
}

TEST(ScalarFormatEncode, FiniteOnlyTypesSaturate) {
  for (const char *name : {"f4E2M1FN", "f6E3M2FN", "f6E2M3FN", "f7E5M1FN", "f3E1M1FN"}) {
    uint64_t largest = get(name).getMaxCode(), sign = largest + 1;
    for (double value : {1e10, 1e300, inf}) {
      EXPECT_EQ(special(name, value), largest);
      EXPECT_EQ(saturate(name, -value), sign | largest);
    }
    EXPECT_EQ(special(name, nan_), largest);
    EXPECT_EQ(special(name, -nan_), largest);
    EXPECT_EQ(special(name, -0.0), sign);
  }
  EXPECT_EQ(special("f4E2M1FN", 5.0), 6u);  // tie: 4 is even
  EXPECT_EQ(special("f4E2M1FN", 0.75), 2u); // tie: 1 is even
  EXPECT_EQ(special("f4E2M1FN", 0.3), 1u);  // 0.5
}

TEST(ScalarFormatEncode, KeepsSubnormals) {
  EXPECT_EQ(special("f32", 1e-40), 0x000116c2u);
  EXPECT_EQ(special("f32", 0x1p-149), 1u);
  EXPECT_EQ(special("f32", 0x1p-150), 0u);
  EXPECT_EQ(special("f32", std::nextafter(0x1p-150, 1)), 1u);
  EXPECT_EQ(special("f16", 0x1p-24), 1u);
  EXPECT_EQ(special("f16", -0x1p-25), 0x8000u);
  EXPECT_EQ(special("f64", 0x1p-1074), 1u);
  EXPECT_EQ(special("bf16", 0x1p-1074), 0u);
}

// Each of these rounds differently if it goes through f32 first.
TEST(ScalarFormatEncode, RoundsADoubleOnce) {
  EXPECT_EQ(special("f16", 1 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(special("bf16", 1 + 0x1p-8 + 0x1p-40), 0x3f81u);
  EXPECT_EQ(special("f8E4M3FN", 1 + 0x1p-4 + 0x1p-40), 0x39u);
  EXPECT_EQ(special("f16", 65520 - 0x1p-30), 0x7bffu);
  EXPECT_EQ(special("f16", 65520), 0x7c00u);
}

TEST(ScalarFormatEncode, TF32TiesRoundAway) {
  EXPECT_EQ(special("tf32", 1 + 0x1p-11), 0x3f802000u);
  EXPECT_EQ(special("tf32", -(1 + 0x1p-11)), 0xbf802000u);
  EXPECT_EQ(special("tf32", 1 + 0x1p-12), 0x3f800000u);
  EXPECT_EQ(special("tf32", std::numeric_limits<float>::max()), 0x7f800000u);
  EXPECT_EQ(saturate("tf32", std::numeric_limits<float>::max()), 0x7f7fe000u);
}

TEST(ScalarFormatEncode, MatchesTheHostConversionToFloat) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200000; ++i) {
    uint64_t bits = random();
    double value;
    int exponent;
    std::memcpy(&value, &bits, 8);
    if (std::isnan(value))
      continue;
    float narrow = static_cast<float>(value);
    // Bring most values into the range of f32.
    if (i % 4)
      narrow = static_cast<float>(value = std::ldexp(std::frexp(value, &exponent), int(bits % 320) - 160));
    uint32_t expected;
    std::memcpy(&expected, &narrow, 4);
    ASSERT_EQ(special("f32", value), expected) << value;
    ASSERT_EQ(special("f64", value), llvm::bit_cast<uint64_t>(value));
  }
}

TEST(ScalarFormatEncode, IntegersToFloatsRoundOnce) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    uint64_t value = random() >> (random() % 64);
    float narrow = static_cast<float>(value), signedNarrow = static_cast<float>(static_cast<int64_t>(value));
    EXPECT_EQ(get("f32").encodeUInt(value, Overflow::Special), llvm::bit_cast<uint32_t>(narrow));
    EXPECT_EQ(get("f32").encodeInt(value, Overflow::Special), llvm::bit_cast<uint32_t>(signedNarrow));
  }
  EXPECT_EQ(get("f32").encodeInt((int64_t(1) << 54) + (1 << 30) + 1, Overflow::Special), 0x5a800001u);
  EXPECT_EQ(get("f64").encodeUInt(~uint64_t(0), Overflow::Special), llvm::bit_cast<uint64_t>(0x1p64));
  EXPECT_EQ(get("f64").encodeInt(std::numeric_limits<int64_t>::min(), Overflow::Special),
            llvm::bit_cast<uint64_t>(-0x1p63));
}

TEST(ScalarFormatEncode, IntegersTruncateThenWrapOrClamp) {
  EXPECT_EQ(special("i8", -1.9), 0xffu);
  EXPECT_EQ(special("i8", 300.5), 44u);
  EXPECT_EQ(saturate("i8", 300.5), 127u);
  EXPECT_EQ(saturate("i8", -300.5), 0x80u);
  EXPECT_EQ(saturate("ui4", -3), 0u);
  EXPECT_EQ(special("ui4", 17), 1u);
  EXPECT_EQ(special("i32", nan_), 0u);
  EXPECT_EQ(special("i64", inf), uint64_t(std::numeric_limits<int64_t>::max()));
  EXPECT_EQ(special("i64", -inf), uint64_t(1) << 63);
  EXPECT_EQ(special("ui64", 1e300), ~uint64_t(0));
  EXPECT_EQ(special("ui64", -inf), 0u);
  EXPECT_EQ(get("i4").encodeInt(-9, Overflow::Special), 7u);
  EXPECT_EQ(get("i4").encodeInt(-9, Overflow::Saturate), 8u);
  EXPECT_EQ(get("i4").encodeUInt(~uint64_t(0), Overflow::Saturate), 7u);
  EXPECT_EQ(get("ui4").encodeInt(-9, Overflow::Saturate), 0u);
  EXPECT_EQ(special("bool", nan_), 1u);
  EXPECT_EQ(special("bool", -0.0), 0u);
  EXPECT_EQ(get("bool").encodeInt(-5, Overflow::Special), 1u);
}

TEST(ScalarFormatEncode, KeepsNaNPayloadAndSign) {
  EXPECT_EQ(special("f32", nan_), 0x7fc00000u);
  EXPECT_EQ(special("f32", -nan_), 0xffc00000u);
  EXPECT_EQ(special("f16", get("f16").decode(0xfe01)), 0xfe01u);
  EXPECT_EQ(special("f8E4M3FN", -nan_), 0xffu);
}

/// The code whose value is the nearest to `value` among those not above (below) it.
static double searchDirected(const ScalarFormat &format, double value, bool down) {
  double best = down ? -inf : inf;
  for (uint64_t code = 0; code <= lowBitMask(format.bits); ++code) {
    double candidate = format.decode(code);
    bool fits = down ? candidate <= value && candidate >= best : candidate >= value && candidate <= best;
    best = fits ? candidate : best;
  }
  return best;
}

TEST(ScalarFormatEncode, RoundsDownUpAndTowardZero) {
  std::mt19937 random(7);
  for (const char *name : {"f16", "bf16", "f8E5M2"}) {
    for (int trial = 0; trial < 60; ++trial) {
      double value = std::ldexp(double(random()) / 4294967296.0 - 0.5, int(random() % 40) - 22);
      ScalarFormat format = get(name);
      double below = searchDirected(format, value, true), above = searchDirected(format, value, false);
      format.rounding = RoundingMode::Down;
      EXPECT_EQ(format.decode(format.encode(value, Overflow::Special)), below) << name << " " << value;
      format.rounding = RoundingMode::Up;
      EXPECT_EQ(format.decode(format.encode(value, Overflow::Special)), above) << name << " " << value;
      format.rounding = RoundingMode::TowardZero;
      EXPECT_EQ(format.decode(format.encode(value, Overflow::Special)), value < 0 ? above : below);
    }
  }
  ScalarFormat half = get("f16");
  half.rounding = RoundingMode::TowardZero;
  EXPECT_EQ(half.encode(1e6, Overflow::Special), 0x7bffu);
  EXPECT_EQ(half.encode(inf, Overflow::Special), 0x7c00u);
  EXPECT_EQ(half.encode(-1e-30, Overflow::Special), 0x8000u);
  half.rounding = RoundingMode::Down;
  EXPECT_EQ(half.encode(-1e-30, Overflow::Special), 0x8001u);
  EXPECT_EQ(half.encode(-1e6, Overflow::Special), 0xfc00u);
}
