// Tests of the comparison of results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ResultComparison.h"

#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace tilus;

namespace {

template <typename T> llvm::ArrayRef<uint8_t> bytes(const std::vector<T> &values) {
  return {reinterpret_cast<const uint8_t *>(values.data()), values.size() * sizeof(T)};
}

template <typename T>
std::string compare(const std::vector<T> &actual, const std::vector<T> &expected, const ScalarFormat &format,
                    std::vector<T> before = {}) {
  before.resize(actual.size());
  return compareElements(bytes(actual), bytes(expected), bytes(before), format).value_or("same");
}

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

} // namespace

TEST(ResultComparison, IntegersMustBeEqual) {
  EXPECT_EQ(compare<int32_t>({1, 2, -3}, {1, 2, -3}, ScalarFormat::getInt(32)), "same");
  EXPECT_EQ(compare<int32_t>({1, 2, -3}, {1, 2, -4}, ScalarFormat::getInt(32)), "element 2 is -3, not -4");
  EXPECT_EQ(compare<uint8_t>({0x21}, {0x11}, ScalarFormat::getInt(4)), "element 1 is 2, not 1");
  EXPECT_EQ(compare<uint8_t>({1}, {0}, ScalarFormat::getBool()), "element 0 is 1, not 0");
}

TEST(ResultComparison, FloatsMayDifferByARounding) {
  ScalarFormat f32 = ScalarFormat::getF32(), f64 = ScalarFormat::getF64();
  EXPECT_EQ(compare<float>({1, 2, 3}, {1, 2, 3.0003f}, f32), "same");
  EXPECT_EQ(compare<float>({1, 2, 3}, {1, 2, 3.003f}, f32), "element 2 is 3, not 3.00300002");
  // What nearly cancels is judged by the size of its neighbours.
  EXPECT_EQ(compare<float>({1, -2, 1e-6f}, {1, -2, -1e-6f}, f32), "same");
  EXPECT_EQ(compare<double>({1, 2}, {1, 2 + 1e-9}, f64), "same");
  EXPECT_EQ(compare<double>({1, 2}, {1, 2 + 1e-6}, f64), "element 1 is 2, not 2.000001");
}

TEST(ResultComparison, OneLargeValueDoesNotHideTheOthers) {
  std::vector<float> actual(100, 1), expected(100, 1);
  actual[7] = expected[7] = 1e30f;
  expected[50] = 1.01f;
  EXPECT_EQ(compare(actual, expected, ScalarFormat::getF32()), "element 50 is 1, not 1.00999999");
  // Nor do values that nobody wrote.
  std::vector<float> before(100, 1e30f);
  for (int i = 10; i < 100; ++i)
    before[i] = 0;
  for (int i = 0; i < 10; ++i)
    actual[i] = expected[i] = 1e30f;
  EXPECT_EQ(compare(actual, expected, ScalarFormat::getF32(), before), "element 50 is 1, not 1.00999999");
}

TEST(ResultComparison, SpecialValuesMustAgree) {
  ScalarFormat f32 = ScalarFormat::getF32();
  EXPECT_EQ(compare<float>({notANumber, infinity, -infinity}, {-notANumber, infinity, -infinity}, f32),
            "same");
  EXPECT_EQ(compare<float>({1, notANumber}, {1, 2}, f32), "element 1 is nan, not 2");
  EXPECT_EQ(compare<float>({1, 3e38f}, {1, infinity}, f32), "element 1 is 3.00000001e+38, not inf");
  EXPECT_EQ(compare<float>({1, infinity}, {1, -infinity}, f32), "element 1 is inf, not -inf");
}

TEST(ResultComparison, NarrowTypesHaveWiderTolerances) {
  // 1, 1 + 4 ulp and 1 + 5 ulp.
  EXPECT_EQ(compare<uint16_t>({0x3c00}, {0x3c04}, ScalarFormat::getF16()), "same");
  EXPECT_EQ(compare<uint16_t>({0x3c00}, {0x3c05}, ScalarFormat::getF16()), "element 0 is 1, not 1.00488281");
  EXPECT_EQ(compare<uint16_t>({0x3f80}, {0x3f84}, ScalarFormat::getBF16()), "same");
  EXPECT_EQ(compare<uint16_t>({0x3f80}, {0x3f85}, ScalarFormat::getBF16()), "element 0 is 1, not 1.0390625");
  EXPECT_EQ(compare<uint8_t>({0x38}, {0x39}, ScalarFormat::getF8E4M3FN()), "same");
  EXPECT_EQ(compare<uint8_t>({0x38}, {0xb8}, ScalarFormat::getF8E4M3FN()), "element 0 is 1, not -1");
}

/// Sums of 4096 products in two orders agree; one product left out shows.
TEST(ResultComparison, TellsOrdersOfSumsFromMissingTerms) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<float> forward, backward, missing;
  for (int i = 0; i < 64; ++i) {
    std::vector<float> products(4096);
    for (float &product : products)
      product = normal(random) * normal(random);
    float up = 0, down = 0;
    for (int k = 0; k < 4096; ++k) {
      up += products[k];
      down += products[4095 - k];
    }
    forward.push_back(up);
    backward.push_back(down);
    missing.push_back(up - products[17]);
  }
  EXPECT_EQ(compare(forward, backward, ScalarFormat::getF32()), "same");
  EXPECT_NE(compare(forward, missing, ScalarFormat::getF32()), "same");
}
