// Tests of matrix products against loops, and the time of a whole one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include <chrono>
#include <cmath>
#include <random>

using namespace tilus;

namespace {
class MmaTest : public ReferenceTest {
protected:
  template <typename A, typename C>
  std::vector<C> multiply(std::string type, std::string accType, std::vector<A> a, std::vector<A> b,
                          std::vector<C> c, int m, int n, int k, std::string flags = "") {
    auto shape = [](int rows, int columns, const std::string &element) {
      return std::to_string(rows) + "x" + std::to_string(columns) + "x" + element;
    };
    std::string sa = shape(m, k, type), sb = shape(k, n, type), sc = shape(m, n, accType), body;
    for (auto [name, s, e] : {std::tuple("a", sa, type), {"b", sb, type}, {"c", sc, accType}})
      body += std::string("%v") + name + " = tilus.global_view %p" + name + " : !tilus.ptr<" + e +
              "> -> !tilus.global<" + s + ">\n%" + name + " = tilus.load_global %v" + name +
              "[%c0, %c0] : !tilus.global<" + s + "> -> tensor<" + s + ">\n";
    body += "%d = tilus.mma %a, %b, %c " + flags + " : tensor<" + sa + ">, tensor<" + sb + ">, tensor<" + sc +
            ">\ntilus.store_global %d, %vc[%c0, %c0] : tensor<" + sc + ">, !tilus.global<" + sc + ">";
    EXPECT_TRUE(runBody("%pa: !tilus.ptr<" + type + ">, %pb: !tilus.ptr<" + type + ">, %pc: !tilus.ptr<" +
                            accType + ">",
                        body, {Arg::buffer(a), Arg::buffer(b), Arg::buffer(c)}))
        << getError();
    return c;
  }
};
} // namespace

template <typename T> static std::vector<T> randomInts(size_t n, int low, int high, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(n);
  for (T &value : values)
    value = T(int(low + int64_t(random() % (high - low + 1))));
  return values;
}

TEST_F(MmaTest, SumsFloatsInTheOrderOfK) {
  int m = 5, n = 7, k = 33;
  std::vector<_Float16> a = randomInts<_Float16>(m * k, -2000, 2000, 1),
                        b = randomInts<_Float16>(k * n, -2000, 2000, 2);
  std::vector<float> c(m * n, 0.5f), expected = c;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int l = 0; l < k; ++l)
        expected[i * n + j] += float(a[i * k + l]) * float(b[l * n + j]);
  EXPECT_EQ(multiply("f16", "f32", a, b, c, m, n, k), expected);
  // An accumulator of f16 is rounded at the end only.
  std::vector<_Float16> small = randomInts<_Float16>(m * k, -9, 9, 3), half(m * n, _Float16(0.5f));
  std::vector<_Float16> other = randomInts<_Float16>(k * n, -9, 9, 4);
  std::vector<_Float16> r = multiply("f16", "f16", small, other, half, m, n, k);
  for (int i = 0; i < m * n; ++i) {
    float sum = 0.5f;
    for (int l = 0; l < k; ++l)
      sum += float(small[i / n * k + l]) * float(other[l * n + i % n]);
    EXPECT_EQ(r[i], _Float16(sum));
  }
  std::vector<double> da = randomInts<double>(m * k, -99, 99, 5), db = randomInts<double>(k * n, -99, 99, 6),
                      dc(m * n, 0.25);
  std::vector<double> de = dc;
  for (int i = 0; i < m * n; ++i)
    for (int l = 0; l < k; ++l)
      de[i] += da[i / n * k + l] * db[l * n + i % n];
  EXPECT_EQ(multiply("f64", "f64", da, db, dc, m, n, k), de);
}

TEST_F(MmaTest, WrapsIntegersAndReadsThemAsStated) {
  int m = 4, n = 3, k = 16;
  std::vector<int8_t> a = randomInts<int8_t>(m * k, -128, 127, 1),
                      b = randomInts<int8_t>(k * n, -128, 127, 2);
  std::vector<int32_t> c(m * n, INT32_MAX);
  for (int flags = 0; flags < 4; ++flags) {
    std::vector<int32_t> r =
        multiply("i8", "i32", a, b, c, m, n, k,
                 std::string(flags & 1 ? "unsigned_a" : "") + (flags & 2 ? " unsigned_b" : ""));
    for (int i = 0; i < m * n; ++i) {
      uint32_t sum = INT32_MAX;
      for (int l = 0; l < k; ++l) {
        int32_t x = flags & 1 ? uint8_t(a[i / n * k + l]) : a[i / n * k + l];
        int32_t y = flags & 2 ? uint8_t(b[l * n + i % n]) : b[l * n + i % n];
        sum += uint32_t(x * y);
      }
      EXPECT_EQ(uint32_t(r[i]), sum);
    }
  }
}

/// A matrix product of any sizes in tiles of 64x64x32 through shared memory, two buffers deep.
static const char *const matmul = R"(
tilus.kernel @matmul(%m: i32, %n: i32, %k: i32, %pa: !tilus.ptr<f16>, %pb: !tilus.ptr<f16>, %pc: !tilus.ptr<f16>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %x = arith.ceildivsi %m, %c64 : i32
  %y = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%x, %y]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %bx = tilus.block_id x
  %by = tilus.block_id y
  %m0 = arith.muli %bx, %c64 : i32
  %n0 = arith.muli %by, %c64 : i32
  %a = tilus.global_view %pa [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %b = tilus.global_view %pb [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %c = tilus.global_view %pc [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %sa = tilus.alloc_shared : !tilus.shared<2x64x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<2x32x64xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %acc = scf.for %k0 = %c0 to %k step %c32 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %step = arith.divsi %k0, %c32 : i32
    %stage = arith.andi %step, %c1 : i32
    %ta = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<2x64x32xf16> -> !tilus.shared<64x32xf16>
    %tb = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<2x32x64xf16> -> !tilus.shared<32x64xf16>
    tilus.copy_async %a[%m0, %k0], %ta : !tilus.global<?x?xf16>, !tilus.shared<64x32xf16>
    tilus.copy_async %b[%k0, %n0], %tb : !tilus.global<?x?xf16>, !tilus.shared<32x64xf16>
    tilus.copy_async.wait_all
    tilus.sync
    %ra = tilus.load_shared %ta : !tilus.shared<64x32xf16> -> tensor<64x32xf16>
    %rb = tilus.load_shared %tb : !tilus.shared<32x64xf16> -> tensor<32x64xf16>
    %next = tilus.mma %ra, %rb, %sum : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %h = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
  tilus.store_global %h, %c[%m0, %n0] : tensor<64x64xf16>, !tilus.global<?x?xf16>
})";

TEST_F(MmaTest, MultipliesMatricesOfAnySizeWithoutHazards) {
  for (auto [m, n, k] : {std::tuple(64, 64, 32), {65, 70, 33}, {1, 1, 1}, {100, 30, 200}, {64, 64, 0}}) {
    std::vector<_Float16> a = randomInts<_Float16>(m * k, -3, 3, 1),
                          b = randomInts<_Float16>(k * n, -3, 3, 2), c(m * n);
    ASSERT_TRUE(run(matmul, {Arg::scalar(m), Arg::scalar(n), Arg::scalar(k), Arg::buffer(a), Arg::buffer(b),
                             Arg::buffer(c)}))
        << getError();
    for (int i = 0; i < m * n; ++i) {
      float sum = 0;
      for (int l = 0; l < k; ++l)
        sum += float(a[i / n * k + l]) * float(b[l * n + i % n]);
      ASSERT_EQ(float(c[i]), sum) << m << " " << n << " " << k << " at " << i;
    }
  }
}

// The time is printed, not tested: tests do not depend on it.
TEST_F(MmaTest, MultipliesMatricesOf512) {
  int size = 512;
  std::vector<_Float16> a = randomInts<_Float16>(size * size, -3, 3, 1),
                        b = randomInts<_Float16>(size * size, -3, 3, 2);
  for (bool checkHazards : {false, true}) {
    std::vector<_Float16> c(size * size);
    auto start = std::chrono::steady_clock::now();
    ASSERT_TRUE(run(matmul,
                    {Arg::scalar(size), Arg::scalar(size), Arg::scalar(size), Arg::buffer(a), Arg::buffer(b),
                     Arg::buffer(c)},
                    checkHazards));
    std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
    RecordProperty(checkHazards ? "seconds_with_checks" : "seconds", std::to_string(time.count()));
    printf("512x512x512, %s: %.3f s, %llu operations\n",
           checkHazards ? "with hazard checks" : "without checks", time.count(),
           (unsigned long long)result.steps);
    for (int i = 0; i < size * size; i += 1237) {
      float sum = 0;
      for (int l = 0; l < size; ++l)
        sum += float(a[i / size * size + l]) * float(b[l * size + i % size]);
      ASSERT_EQ(float(c[i]), sum);
    }
  }
}
