// Tests of arithmetic on tiles and scalars against C++'s own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include <cmath>
#include <random>

using namespace tilus;

namespace {
class ElementwiseTest : public ReferenceTest {
protected:
  /// Applies `op` to two vectors of integers of type `type`.
  template <typename T>
  std::vector<T> binary(llvm::StringRef op, llvm::StringRef type, std::vector<T> a, std::vector<T> b) {
    std::vector<T> r(a.size());
    std::string body =
        ("%r = " + op + " %a, %b : tensor<" + std::to_string(a.size()) + "x" + type + ">").str();
    EXPECT_TRUE(runElementwise(type, type, body, a.size(), {Arg::buffer(a), Arg::buffer(b)}, Arg::buffer(r)))
        << getError();
    return r;
  }
  template <typename T> std::vector<T> unary(llvm::StringRef op, llvm::StringRef type, std::vector<T> a) {
    std::vector<T> r(a.size());
    std::string body = ("%r = " + op + " %a : tensor<" + std::to_string(a.size()) + "x" + type + ">").str();
    EXPECT_TRUE(runElementwise(type, type, body, a.size(), {Arg::buffer(a)}, Arg::buffer(r))) << getError();
    return r;
  }
};
} // namespace

using testing::ElementsAre;

// The pairs of the division table, one rule an operation.
TEST_F(ElementwiseTest, DividesWithTheRoundingOfTheName) {
  constexpr int32_t least = INT32_MIN;
  std::vector<int32_t> a = {-7, 7, -7, -1, least, least, 7}, b = {3, -3, -3, 2, 7, -1, 7};
  EXPECT_THAT(binary("arith.floordivsi", "i32", a, b), ElementsAre(-3, -3, 2, -1, -306783379, least, 1));
  EXPECT_THAT(binary("arith.divsi", "i32", a, b), ElementsAre(-2, -2, 2, 0, -306783378, least, 1));
  EXPECT_THAT(binary("arith.remsi", "i32", a, b), ElementsAre(-1, 1, -1, -1, -2, 0, 0));
  EXPECT_THAT(binary("arith.ceildivsi", "i32", a, b), ElementsAre(-2, -2, 3, 0, -306783378, least, 1));
  EXPECT_THAT(binary("arith.divui", "i32", a, b)[0], int32_t(uint32_t(-7) / 3u));
  EXPECT_THAT(binary("arith.remui", "i32", a, b)[0], int32_t(uint32_t(-7) % 3u));
  EXPECT_THAT(binary("arith.ceildivui", "i32", a, b)[1], 1);
}

TEST_F(ElementwiseTest, ReportsADivisionByZero) {
  std::vector<int32_t> a = {1, 2, 3, 4}, b = {1, 1, 0, 1}, r(4);
  for (const char *op : {"divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui"}) {
    std::string body = std::string("%r = arith.") + op + " %a, %b : tensor<4xi32>";
    EXPECT_FALSE(runElementwise("i32", "i32", body, 4, {Arg::buffer(a), Arg::buffer(b)}, Arg::buffer(r)));
    EXPECT_EQ(getError(), std::string("10: 'arith.") + op +
                              "' op expected a divisor that is not zero, but got 0 in element [2]");
  }
}

// Narrow integers wrap at their own width, not at 32 bits.
TEST_F(ElementwiseTest, WrapsNarrowIntegers) {
  std::vector<uint8_t> x(256), four(256, 4);
  for (int i = 0; i < 256; ++i)
    x[i] = i;
  std::vector<uint8_t> shifted = binary("arith.shli", "i8", x, four);
  std::vector<uint8_t> logical = binary("arith.shrui", "i8", shifted, four);
  std::vector<uint8_t> arithmetic = binary("arith.shrsi", "i8", shifted, four);
  std::vector<uint8_t> product = binary("arith.muli", "i8", x, x), sum = binary("arith.addi", "i8", x, x);
  for (int i = 0; i < 256; ++i) {
    EXPECT_EQ(logical[i], i & 15);
    EXPECT_EQ(int8_t(arithmetic[i]), int8_t(uint8_t(i << 4)) >> 4);
    EXPECT_EQ(product[i], uint8_t(i * i));
    EXPECT_EQ(sum[i], uint8_t(i + i));
  }
  EXPECT_THAT(binary<uint8_t>("arith.maxsi", "i8", {0x80, 0x7f}, {1, 1}), ElementsAre(1, 0x7f));
  EXPECT_THAT(binary<uint8_t>("arith.maxui", "i8", {0x80, 0x7f}, {1, 1}), ElementsAre(0x80, 0x7f));
  EXPECT_THAT(binary<uint8_t>("arith.minsi", "i8", {0x80, 0x7f}, {1, 1}), ElementsAre(0x80, 1));
  EXPECT_THAT(binary<uint8_t>("arith.minui", "i8", {0x80, 0x7f}, {1, 1}), ElementsAre(1, 1));
}

// Products, quotients and sums of f32 are those of the host; of f16 each is rounded once.
TEST_F(ElementwiseTest, RoundsFloatsOnce) {
  std::mt19937 random(1);
  std::vector<float> a(1000), b(1000);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = std::ldexp(float(random()) / 4294967296.f - 0.5f, int(random() % 60) - 30);
    b[i] = std::ldexp(float(random()) / 4294967296.f - 0.5f, int(random() % 60) - 30);
  }
  std::vector<float> sum = binary("arith.addf", "f32", a, b), product = binary("arith.mulf", "f32", a, b),
                     quotient = binary("arith.divf", "f32", a, b);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(sum[i], a[i] + b[i]);
    EXPECT_EQ(product[i], a[i] * b[i]);
    EXPECT_EQ(quotient[i], a[i] / b[i]);
  }
  std::vector<_Float16> c(1000), d(1000);
  for (size_t i = 0; i < c.size(); ++i) {
    uint16_t bits[] = {uint16_t(random()), uint16_t(random())};
    std::memcpy(&c[i], &bits[0], 2), std::memcpy(&d[i], &bits[1], 2);
  }
  std::vector<_Float16> halfSum = binary("arith.addf", "f16", c, d),
                        halfProduct = binary("arith.mulf", "f16", c, d);
  for (size_t i = 0; i < c.size(); ++i) {
    _Float16 s = c[i] + d[i], p = c[i] * d[i];
    EXPECT_TRUE(halfSum[i] == s || (s != s && halfSum[i] != halfSum[i])) << i;
    EXPECT_TRUE(halfProduct[i] == p || (p != p && halfProduct[i] != halfProduct[i])) << i;
  }
}

TEST_F(ElementwiseTest, PropagatesNaNWhereTheNameSaysSo) {
  float nan = NAN;
  std::vector<float> a = {nan, 1, nan, -0.f}, b = {1, nan, nan, 0.f};
  std::vector<float> maximum = binary("arith.maximumf", "f32", a, b),
                     minimum = binary("arith.minimumf", "f32", a, b);
  std::vector<float> maxnum = binary("arith.maxnumf", "f32", a, b),
                     minnum = binary("arith.minnumf", "f32", a, b);
  for (int i = 0; i < 3; ++i)
    EXPECT_TRUE(std::isnan(maximum[i]) && std::isnan(minimum[i])) << i;
  EXPECT_EQ(maxnum[0], 1);
  EXPECT_EQ(minnum[1], 1);
  EXPECT_TRUE(std::isnan(maxnum[2]));
  EXPECT_TRUE(!std::signbit(maximum[3]) && std::signbit(minimum[3]));
}

TEST_F(ElementwiseTest, ComputesMathFunctions) {
  std::vector<float> a = {0.1f, 0.5f, 1.f, 2.5f, 3.5f, -2.5f, 10.f, -0.f};
  struct Row {
    const char *op;
    double (*function)(double);
  };
  const Row rows[] = {
      {"math.exp", std::exp},     {"math.exp2", std::exp2},   {"math.sin", std::sin},
      {"math.tanh", std::tanh},   {"math.erf", std::erf},     {"math.floor", std::floor},
      {"math.round", std::round}, {"math.trunc", std::trunc}, {"math.roundeven", std::nearbyint},
      {"math.absf", std::fabs},   {"math.sqrt", std::sqrt},   {"math.log", std::log}};
  for (const Row &row : rows) {
    std::vector<float> r = unary(row.op, "f32", a);
    for (size_t i = 0; i < a.size(); ++i) {
      float expected = float(row.function(a[i]));
      EXPECT_TRUE(r[i] == expected || (std::isnan(r[i]) && std::isnan(expected))) << row.op << " " << a[i];
      EXPECT_EQ(std::signbit(r[i]), std::signbit(expected)) << row.op << " " << a[i];
    }
  }
}
