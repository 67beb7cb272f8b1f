// Tests of views, loads, stores and shared tiles against loops over plain arrays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include <numeric>

using namespace tilus;

static std::vector<int32_t> count(size_t n) {
  std::vector<int32_t> values(n);
  std::iota(values.begin(), values.end(), 100);
  return values;
}

// A tile at any offset of a 5x7 view, transposed by dims: zero outside, and stores leave all else alone.
TEST_F(ReferenceTest, LoadsAndStoresWithinTheView) {
  for (int64_t m : {-9, -2, 0, 3, 5, 100}) {
    for (int64_t n : {-7, -3, 0, 4, 7}) {
      std::vector<int32_t> x = count(35), loaded(24, -1), y = count(35);
      const char *body = R"(%v = tilus.global_view %x [%m, %n] : !tilus.ptr<i32> -> !tilus.global<?x?xi32>
%t = tilus.load_global %v[%i : i64, %j : i64] dims [1, 0] : !tilus.global<?x?xi32> -> tensor<6x4xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<6x4xi32>
tilus.store_global %t, %o[%c0, %c0] : tensor<6x4xi32>, !tilus.global<6x4xi32>
%w = tilus.global_view %y [%m, %n] : !tilus.ptr<i32> -> !tilus.global<?x?xi32>
%z = arith.constant dense<-5> : tensor<6x4xi32>
tilus.store_global %z, %w[%i : i64, %j : i64] dims [1, 0] : tensor<6x4xi32>, !tilus.global<?x?xi32>)";
      ASSERT_TRUE(runBody(
          "%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>, %out: !tilus.ptr<i32>, %m: i32, %n: i32, %i: i64, "
          "%j: i64",
          body,
          {Arg::buffer(x), Arg::buffer(y), Arg::buffer(loaded), Arg::scalar(5), Arg::scalar(7),
           Arg::scalar(m), Arg::scalar(n)}))
          << getError();
      std::vector<int32_t> stored = x;
      for (int64_t a = 0; a < 6; ++a) {
        for (int64_t b = 0; b < 4; ++b) {
          int64_t row = m + b, column = n + a;
          bool isInside = row >= 0 && row < 5 && column >= 0 && column < 7;
          EXPECT_EQ(loaded[a * 4 + b], isInside ? x[row * 7 + column] : 0) << m << " " << n;
          if (isInside)
            stored[row * 7 + column] = -5;
        }
      }
      EXPECT_EQ(y, stored);
    }
  }
}

// The address of an element begins another view, of elements of half the size.
TEST_F(ReferenceTest, ReadsThroughPointersToElements) {
  std::vector<int32_t> x = count(20), out(4, -1);
  const char *body = R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x5xi32>
%p = tilus.element_pointer %v[%m, %n : i64] : !tilus.global<4x5xi32>
%q = tilus.pointer_cast %p : !tilus.ptr<i32> -> !tilus.ptr<i16>
%w = tilus.global_view %q : !tilus.ptr<i16> -> !tilus.global<8xi16>
%t = tilus.load_global %w[%c0] : !tilus.global<8xi16> -> tensor<8xi16>
%r = tilus.reshape %t : tensor<8xi16> -> tensor<4x2xi16>
%e = tilus.extract_slice %r[%c0] dims [1] : tensor<4x2xi16> -> tensor<4xi16>
%u = tilus.cast %e : tensor<4xi16> -> tensor<4xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<4xi32>
tilus.store_global %u, %o[%c0] : tensor<4xi32>, !tilus.global<4xi32>)";
  const char *params = "%x: !tilus.ptr<i32>, %out: !tilus.ptr<i32>, %m: i32, %n: i64";
  ASSERT_TRUE(runBody(params, body, {Arg::buffer(x), Arg::buffer(out), Arg::scalar(2), Arg::scalar(3)}))
      << getError();
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(out[i], x[2 * 5 + 3 + i]);
  ASSERT_TRUE(runBody(params, body, {Arg::buffer(x), Arg::buffer(out), Arg::scalar(0), Arg::scalar(-1)}) ==
              false);
  EXPECT_NE(getError().find("within the"), std::string::npos) << getError();
}

TEST_F(ReferenceTest, ReportsAddressesBetweenElements) {
  std::vector<int32_t> x = count(20);
  const char *body = R"(%b = tilus.pointer_cast %x : !tilus.ptr<i32> -> !tilus.ptr<i8>
%v = tilus.global_view %b : !tilus.ptr<i8> -> !tilus.global<80xi8>
%p = tilus.element_pointer %v[%n] : !tilus.global<80xi8>
%q = tilus.pointer_cast %p : !tilus.ptr<i8> -> !tilus.ptr<i32>
%w = tilus.global_view %q : !tilus.ptr<i32> -> !tilus.global<1xi32>)";
  EXPECT_TRUE(runBody("%x: !tilus.ptr<i32>, %n: i32", body, {Arg::buffer(x), Arg::scalar(8)})) << getError();
  EXPECT_FALSE(runBody("%x: !tilus.ptr<i32>, %n: i32", body, {Arg::buffer(x), Arg::scalar(6)}));
  EXPECT_NE(getError().find("expected an address of whole elements of 32 bits, but got bit 48"),
            std::string::npos)
      << getError();
}

TEST_F(ReferenceTest, ReadsStridedAndSlicedViews) {
  std::vector<int32_t> x = count(60), out(10, -1);
  const char *body = R"(%c1 = arith.constant 1 : i32
%v = tilus.global_view %x [%m] strides [%s, %s2] : !tilus.ptr<i32> -> !tilus.global<3x?x2xi32, strides = [?, 1, ?]>
%w = tilus.slice_global %v[%c1] dims [2] : !tilus.global<3x?x2xi32, strides = [?, 1, ?]> -> !tilus.global<3x?xi32, strides = [?, 1]>
%t = tilus.load_global %w[%c1, %c0] : !tilus.global<3x?xi32, strides = [?, 1]> -> tensor<2x5xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<2x5xi32>
tilus.store_global %t, %o[%c0, %c0] : tensor<2x5xi32>, !tilus.global<2x5xi32>)";
  ASSERT_TRUE(runBody("%x: !tilus.ptr<i32>, %out: !tilus.ptr<i32>, %m: i32, %s: i32, %s2: i32", body,
                      {Arg::buffer(x), Arg::buffer(out), Arg::scalar(4), Arg::scalar(10), Arg::scalar(30)}))
      << getError();
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 5; ++b)
      EXPECT_EQ(out[a * 5 + b], b < 4 ? x[(1 + a) * 10 + b + 30] : 0);
}

// An empty view, an empty buffer, and a grid without blocks do nothing.
TEST_F(ReferenceTest, AcceptsSizesOfZero) {
  std::vector<int32_t> none, out(4, 7);
  const char *body = R"(%v = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
%t = tilus.load_global %v[%c0] : !tilus.global<?xi32> -> tensor<4xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<4xi32>
tilus.store_global %t, %o[%c0] : tensor<4xi32>, !tilus.global<4xi32>
tilus.store_global %t, %v[%c0] : tensor<4xi32>, !tilus.global<?xi32>)";
  ASSERT_TRUE(runBody("%x: !tilus.ptr<i32>, %out: !tilus.ptr<i32>, %n: i32", body,
                      {Arg::buffer(none), Arg::buffer(out), Arg::scalar(0)}))
      << getError();
  EXPECT_EQ(out, std::vector<int32_t>(4, 0));
  ASSERT_TRUE(run("tilus.kernel @k(%n: i32) warps(1) grid { tilus.grid [%n, %n] } { }", {Arg::scalar(0)}));
  EXPECT_EQ(result.grid[0], 0);
}

// Elements of 3, 4 and 12 bits lie one after the other; a store leaves its neighbours alone.
TEST_F(ReferenceTest, PacksNarrowElements) {
  for (int bits : {1, 3, 4, 7, 12}) {
    std::vector<uint8_t> x(64), y(64, 0xff);
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = uint8_t(i * 37 + 11);
    std::string type = bits == 1 ? "!tilus.bit" : "i" + std::to_string(bits);
    std::string view = "!tilus.global<40x" + type + ">", tile = "tensor<8x" + type + ">";
    std::string body = "%c5 = arith.constant 5 : i32\n%c9 = arith.constant 9 : i32\n%v = tilus.global_view "
                       "%x : !tilus.ptr<" +
                       type + "> -> " + view + "\n%t = tilus.load_global %v[%c5] : " + view + " -> " + tile +
                       "\n%w = tilus.global_view %y : !tilus.ptr<" + type + "> -> " + view +
                       "\ntilus.store_global %t, %w[%c9] : " + tile + ", " + view;
    ASSERT_TRUE(runBody("%x: !tilus.ptr<" + type + ">, %y: !tilus.ptr<" + type + ">", body,
                        {Arg::buffer(x), Arg::buffer(y)}))
        << getError();
    auto bit = [](const std::vector<uint8_t> &bytes, int at) { return (bytes[at / 8] >> (at % 8)) & 1; };
    for (int at = 0; at < 512; ++at) {
      bool isStored = at >= 9 * bits && at < 17 * bits;
      EXPECT_EQ(bit(y, at), isStored ? bit(x, at - 4 * bits) : 1) << bits << " " << at;
    }
  }
}

TEST_F(ReferenceTest, CopiesAllBitsOfNaN) {
  std::vector<uint16_t> x = {0x7c01, 0xfe00, 0x7fff, 0x7d55}, out(4);
  ASSERT_TRUE(runElementwise("f16", "f16", "%r = tilus.reshape %a : tensor<4xf16> -> tensor<4xf16>", 4,
                             {Arg::buffer(x)}, Arg::buffer(out)));
  EXPECT_EQ(out, x);
}

// A shared tile seen through a permutation, a reshape and a slice.
TEST_F(ReferenceTest, ViewsSharedTiles) {
  std::vector<int32_t> out(8);
  const char *body = R"(%c1 = arith.constant 1 : i32
%c24 = arith.constant dense<24> : tensor<2x3x4xi32>
%i = tilus.iota dim(0) : tensor<24xi32>
%r = tilus.reshape %i : tensor<24xi32> -> tensor<2x3x4xi32>
%s = tilus.alloc_shared : !tilus.shared<2x3x4xi32>
tilus.store_shared %r, %s : tensor<2x3x4xi32>, !tilus.shared<2x3x4xi32>
tilus.sync
%p = tilus.permute_shared %s [2, 0, 1] : !tilus.shared<2x3x4xi32> -> !tilus.shared<4x2x3xi32>
%q = tilus.reshape_shared %p : !tilus.shared<4x2x3xi32> -> !tilus.shared<8x3xi32>
%z = tilus.slice_shared %q[%c1] dims [1] : !tilus.shared<8x3xi32> -> !tilus.shared<8xi32>
%t = tilus.load_shared %z : !tilus.shared<8xi32> -> tensor<8xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<8xi32>
tilus.store_global %t, %o[%c0] : tensor<8xi32>, !tilus.global<8xi32>)";
  ASSERT_TRUE(runBody("%out: !tilus.ptr<i32>", body, {Arg::buffer(out)})) << getError();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 2; ++b)
      EXPECT_EQ(out[a * 2 + b], b * 12 + 1 * 4 + a);
}

// What was copied arrives with the wait, not before: without checks the tile is all ones until then.
TEST_F(ReferenceTest, LetsCopiesArriveAtTheWait) {
  std::vector<int32_t> x = count(8), out(24);
  const char *body = R"(%v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<8xi32>
%o = tilus.global_view %out : !tilus.ptr<i32> -> !tilus.global<3x8xi32>
%c1 = arith.constant 1 : i32
%c2 = arith.constant 2 : i32
%c6 = arith.constant 6 : i32
%s = tilus.alloc_shared : !tilus.shared<8xi32>
tilus.copy_async %v[%c6], %s : !tilus.global<8xi32>, !tilus.shared<8xi32>
%t0 = tilus.load_shared %s : !tilus.shared<8xi32> -> tensor<8xi32>
tilus.store_global %t0, %o[%c0, %c0] : tensor<8xi32>, !tilus.global<3x8xi32>
tilus.copy_async.commit_group
tilus.copy_async.commit_group
tilus.copy_async.wait_group 1
%t1 = tilus.load_shared %s : !tilus.shared<8xi32> -> tensor<8xi32>
tilus.store_global %t1, %o[%c1, %c0] : tensor<8xi32>, !tilus.global<3x8xi32>)";
  ASSERT_TRUE(runBody("%x: !tilus.ptr<i32>, %out: !tilus.ptr<i32>", body, {Arg::buffer(x), Arg::buffer(out)},
                      /*checkHazards=*/false))
      << getError();
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(out[i], -1);
    EXPECT_EQ(out[8 + i], i < 2 ? x[6 + i] : 0);
  }
}
