// Tests of tensors made by a rule: published words of the generator, exactness, ranges, moments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/TensorGenerator.h"
#include "TempFolder.h"

#include <cmath>
#include <set>

using namespace tilus;

static HostTensor make(GeneratorKind kind, llvm::StringRef format, int64_t count, uint64_t seed = 0,
                       int64_t low = 0, int64_t high = 2) {
  return llvm::cantFail(generateTensor({kind, {count}, *ScalarFormat::parse(format), seed, low, high}));
}

// The first outputs of SplitMix64 from the state 1234567, as published with the reference code.
TEST(TensorGenerator, WordsAreSplitMix64) {
  const uint64_t words[] = {6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                            4593380528125082431u, 16408922859458223821u};
  HostTensor tensor = make(GeneratorKind::Rand, "f64", 5, 1234567);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(tensor.decode(i), std::ldexp(double(words[i] >> 11), -53));
  HostTensor integers = make(GeneratorKind::Randint, "i64", 5, 1234567, -100, 1000000);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(integers.decode(i), -100 + double(uint64_t((__uint128_t(words[i]) * 1000100) >> 64)));
}

TEST(TensorGenerator, UniformIsExactAndBelowOne) {
  for (const char *name :
       {"f64", "f32", "tf32", "f16", "bf16", "f8E4M3FN", "f8E5M2", "f6E2M3FN", "f4E2M1FN"}) {
    ScalarFormat format = *ScalarFormat::parse(name);
    HostTensor tensor = make(GeneratorKind::Rand, name, 4096, 7),
               wide = make(GeneratorKind::Rand, "f64", 4096, 7);
    int bits = std::min(format.mantissaBits + 1, format.mantissaBits + format.getBias() - 1);
    double sum = 0;
    for (int i = 0; i < 4096; ++i) {
      // The same leading bits in every type.
      EXPECT_EQ(tensor.decode(i), std::floor(std::ldexp(wide.decode(i), bits)) / std::ldexp(1, bits)) << name;
      sum += tensor.decode(i);
    }
    EXPECT_NEAR(sum / 4096 + std::ldexp(0.5, -bits), 0.5, 0.02) << name;
  }
}

TEST(TensorGenerator, NormalHasItsMoments) {
  HostTensor tensor = make(GeneratorKind::Randn, "f64", 50000, 3);
  double sum = 0, squares = 0, fourth = 0;
  for (int i = 0; i < 50000; ++i) {
    double x = tensor.decode(i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    EXPECT_LT(std::abs(x), 6);
  }
  EXPECT_NEAR(sum / 50000, 0, 0.02);
  EXPECT_NEAR(squares / 50000, 1, 0.03);
  EXPECT_NEAR(fourth / 50000, 2.9, 0.15); // 3 - 6/5/12 for the sum of twelve
}

TEST(TensorGenerator, IntegersCoverTheirRange) {
  HostTensor tensor = make(GeneratorKind::Randint, "i4", 2000, 1, -8, 8);
  std::set<int64_t> seen;
  for (int i = 0; i < 2000; ++i)
    seen.insert(tensor.format.decodeInt(tensor.getCode(i)));
  EXPECT_EQ(seen.size(), 16u);
  EXPECT_EQ(*seen.begin(), -8);
  EXPECT_EQ(make(GeneratorKind::Randint, "i64", 1, 1, INT64_MIN, INT64_MAX).getElementCount(), 1);
  EXPECT_NE(make(GeneratorKind::Randint, "i32", 9, 1, 0, 1000).bytes,
            make(GeneratorKind::Randint, "i32", 9, 2, 0, 1000).bytes);
}

TEST(TensorGenerator, FillsAndCounts) {
  HostTensor ones = make(GeneratorKind::Ones, "f8E4M3FN", 3), zeros = make(GeneratorKind::Zeros, "f16", 2);
  EXPECT_EQ(ones.bytes, std::vector<uint8_t>(3, 0x38));
  EXPECT_EQ(zeros.bytes, std::vector<uint8_t>(4, 0));
  HostTensor nibbles = make(GeneratorKind::Arange, "ui4", 5);
  EXPECT_EQ(nibbles.bytes, (std::vector<uint8_t>{0x10, 0x32, 0x04}));
  EXPECT_EQ(make(GeneratorKind::Arange, "bf16", 300).decode(257), 256); // nearest even
}

TEST(TensorGenerator, RefusesInWords) {
  ScalarFormat i8 = ScalarFormat::getInt(8);
  EXPECT_EQ(message(generateTensor({GeneratorKind::Rand, {1}, i8})),
            "expected a float type for random real numbers, but got i8; use randint");
  EXPECT_EQ(message(generateTensor({GeneratorKind::Randint, {1}, i8, 0, 3, 3})),
            "expected 'low' below 'high' for randint, but got 3 and 3");
  EXPECT_EQ(message(generateTensor({GeneratorKind::Zeros, {int64_t(1) << 62, 4}, i8})),
            "expected a tensor that fits in memory, but got 4611686018427387904x4xi8");
  EXPECT_EQ(message(generateTensor({GeneratorKind::Zeros, {-1}, i8})),
            "expected tensor sizes of at least 0, but got -1");
}
