// The rules on facts, among them those that are easily got wrong, against the values themselves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/ScalarFacts.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace tilus;
using B = ScalarBinary;

static ScalarFacts multiplesOf(uint64_t divisor, int64_t min = INT32_MIN, int64_t max = INT32_MAX) {
  ScalarFacts divisible;
  divisible.divisor = divisor;
  return ScalarFacts::range(min, max).meet(divisible);
}

static ScalarFacts evaluate32(B operation, const ScalarFacts &a, const ScalarFacts &b) {
  return evaluate(operation, a, b, 32);
}

static std::string print(const ScalarFacts &facts) {
  std::string text;
  llvm::raw_string_ostream(text) << facts;
  return text;
}

// 6 is a multiple of 6, yet 6 / 4 = 1 is no multiple of 3: only a divisor that divides leaves a quotient.
TEST(ScalarFacts, QuotientOfMultiples) {
  EXPECT_TRUE(evaluate32(B::DivSigned, multiplesOf(6, 0, 600), ScalarFacts::constant(4)).contains(1));
  EXPECT_EQ(evaluate32(B::DivSigned, multiplesOf(24, 0, 480), ScalarFacts::constant(4)),
            multiplesOf(6, 0, 120));
  EXPECT_EQ(evaluate32(B::DivSigned, multiplesOf(24, -48, 48), ScalarFacts::constant(-8)),
            multiplesOf(3, -6, 6));
}

// 6 % 4 = 2 is no multiple of 3, but of gcd(6, 4).
TEST(ScalarFacts, RemainderOfMultiples) {
  EXPECT_EQ(evaluate32(B::RemSigned, multiplesOf(6, 0, 600), ScalarFacts::constant(4)), multiplesOf(2, 0, 2));
  EXPECT_EQ(evaluate32(B::RemSigned, multiplesOf(64), ScalarFacts::constant(32)), ScalarFacts::constant(0));
}

TEST(ScalarFacts, RemainderOfNegativeIsNegative) {
  EXPECT_EQ(evaluate32(B::RemSigned, ScalarFacts::range(-100, -1), ScalarFacts::constant(8)),
            ScalarFacts::range(-7, 0));
  EXPECT_EQ(evaluate32(B::RemSigned, ScalarFacts::range(-3, 3), ScalarFacts::constant(8)),
            ScalarFacts::range(-3, 3));
}

TEST(ScalarFacts, QuotientOfNegative) {
  ScalarFacts a = ScalarFacts::range(-7, 7), two = ScalarFacts::constant(2);
  EXPECT_EQ(evaluate32(B::DivSigned, a, two), ScalarFacts::range(-3, 3));
  EXPECT_EQ(evaluate32(B::FloorDivSigned, a, two), ScalarFacts::range(-4, 3));
  EXPECT_EQ(evaluate32(B::CeilDivSigned, a, two), ScalarFacts::range(-3, 4));
  // The smallest number has no negative.
  EXPECT_TRUE(evaluate32(B::DivSigned, multiplesOf(1), ScalarFacts::constant(-1)).contains(INT32_MIN));
}

// a >= 0 and b >= -2 does not bound a * b from below by -2 * min(a).
TEST(ScalarFacts, ProductOfOneSidedRanges) {
  ScalarFacts product = evaluate32(B::Mul, ScalarFacts::range(0, 100), ScalarFacts::range(-2, 5));
  EXPECT_EQ(product, ScalarFacts::range(-200, 500));
}

// A product that may wrap around keeps the powers of two among its divisors and loses the others.
TEST(ScalarFacts, ProductThatWraps) {
  ScalarFacts product = evaluate32(B::Mul, multiplesOf(1), ScalarFacts::constant(48));
  EXPECT_EQ(product.divisor, 16u);
  EXPECT_EQ(evaluate32(B::Mul, ScalarFacts::range(0, 1000), ScalarFacts::constant(48)),
            multiplesOf(48, 0, 48000));
  EXPECT_EQ(evaluate(B::Mul, multiplesOf(1), ScalarFacts::constant(48), 32, /*noWrap=*/true).divisor, 48u);
}

TEST(ScalarFacts, SumsAndDifferences) {
  EXPECT_EQ(evaluate32(B::Sub, ScalarFacts::constant(10), ScalarFacts::range(0, 7)),
            ScalarFacts::range(3, 10));
  EXPECT_EQ(evaluate32(B::Add, multiplesOf(12, 0, 120), multiplesOf(8, 0, 80)), multiplesOf(4, 0, 200));
  EXPECT_EQ(evaluate32(B::Sub, ScalarFacts::constant(0), multiplesOf(12, 0, 120)), multiplesOf(12, -120, 0));
}

// Bounds that touch decide <= where they do not decide <, and a common end does not decide ==.
TEST(ScalarFacts, Comparisons) {
  ScalarFacts low = ScalarFacts::range(0, 8), high = ScalarFacts::range(8, 16);
  EXPECT_EQ(compare(ScalarCompare::SLT, low, high), std::nullopt);
  EXPECT_EQ(compare(ScalarCompare::SLE, low, high), true);
  EXPECT_EQ(compare(ScalarCompare::SGT, low, high), false);
  EXPECT_EQ(compare(ScalarCompare::EQ, low, high), std::nullopt);
  EXPECT_EQ(compare(ScalarCompare::NE, low, ScalarFacts::range(9, 16)), true);
  EXPECT_EQ(compare(ScalarCompare::EQ, multiplesOf(4, 0, 64), ScalarFacts::constant(6)), false);
  EXPECT_EQ(compare(ScalarCompare::ULT, ScalarFacts::range(-1, 0), high), std::nullopt);
}

TEST(ScalarFacts, CastsReadTheSign) {
  EXPECT_EQ(zeroExtend(ScalarFacts::range(-4, -1), 8), ScalarFacts::range(252, 255));
  EXPECT_EQ(zeroExtend(ScalarFacts::range(-4, 1), 8), ScalarFacts::range(0, 255));
  EXPECT_EQ(truncate(multiplesOf(48, 0, 480), 8).divisor, 16u);
  EXPECT_EQ(truncate(multiplesOf(48, 0, 96), 8), multiplesOf(48, 0, 96));
}

TEST(ScalarFacts, MeetOfFacts) {
  EXPECT_EQ(multiplesOf(6).meet(multiplesOf(4)).divisor, 12u);
  EXPECT_EQ(multiplesOf(8, 0, 1000).meet(ScalarFacts::range(3, 21)), multiplesOf(8, 8, 16));
  // Facts of which never both hold.
  EXPECT_EQ(ScalarFacts::range(0, 1).meet(ScalarFacts::range(5, 6)), ScalarFacts::range(0, 1));
}

TEST(ScalarFacts, Printing) {
  EXPECT_EQ(print(multiplesOf(32, 0, 100)), "[0, 96] / 32");
  EXPECT_EQ(print(ScalarFacts::constant(-5)), "-5");
}
