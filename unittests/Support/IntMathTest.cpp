// Tests of the integer arithmetic, against 128-bit arithmetic and brute force.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/IntMath.h"

#include "gtest/gtest.h"
#include <limits>

using namespace tilus;

static constexpr int64_t least = std::numeric_limits<int64_t>::min();
static constexpr int64_t greatest = std::numeric_limits<int64_t>::max();

TEST(IntMath, DivisionBoundsTheQuotient) {
  const int64_t values[] = {least, least + 1, -7, -6, -2, -1, 0, 1, 2, 3, 6, 7, greatest - 1, greatest};
  for (int64_t a : values) {
    for (int64_t b : values) {
      if (!canDivide(a, b)) {
        EXPECT_TRUE(b == 0 || (a == least && b == -1));
        continue;
      }
      __int128 rest = __int128(a) - __int128(floorDiv(a, b)) * b;
      EXPECT_EQ(rest, floorMod(a, b)) << a << " " << b;
      EXPECT_TRUE(b > 0 ? (0 <= rest && rest < b) : (b < rest && rest <= 0)) << a << " " << b;
      __int128 over = __int128(ceilDiv(a, b)) * b - a;
      EXPECT_TRUE(b > 0 ? (0 <= over && over < b) : (b < over && over <= 0)) << a << " " << b;
    }
  }
  EXPECT_EQ(floorMod(least, -1), 0);
}

TEST(IntMath, GcdAndLcmMatchBruteForce) {
  for (int64_t a = -24; a <= 24; ++a) {
    for (int64_t b = -24; b <= 24; ++b) {
      int64_t divisor = 0, multiple = 0;
      for (int64_t d = 1; d <= 24; ++d)
        if (a % d == 0 && b % d == 0)
          divisor = d;
      if (a == 0 && b == 0)
        divisor = 0;
      for (int64_t m = 1; a != 0 && b != 0 && multiple == 0; ++m)
        if (m % a == 0 && m % b == 0)
          multiple = m;
      EXPECT_EQ(gcd(a, b), divisor) << a << " " << b;
      EXPECT_EQ(lcm(a, b), multiple) << a << " " << b;
    }
  }
}

TEST(IntMath, EdgesDoNotOverflow) {
  EXPECT_EQ(gcd(least, int64_t(6)), 2);
  EXPECT_EQ(gcd(least, greatest), 1);
  EXPECT_EQ(lcm(least, 1), std::nullopt);
  EXPECT_EQ(lcm(greatest, greatest - 1), std::nullopt);
  EXPECT_EQ(lcm(greatest, greatest), greatest);
  EXPECT_EQ(checkedMul(int64_t(1) << 62, 2), std::nullopt);
  EXPECT_EQ(checkedMul(int64_t(1) << 62, -2), least);
  EXPECT_EQ(checkedAdd(greatest, 1), std::nullopt);
  EXPECT_EQ(checkedSub(least, 1), std::nullopt);
  EXPECT_EQ(checkedSub(-1, greatest), least);
}
