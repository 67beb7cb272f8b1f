// Tests of operations on tiles against loops: shapes, slices, registers, random words, reductions and scans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ReferenceFixture.h"

#include <cmath>

using namespace tilus;

namespace {
class TensorTest : public ReferenceTest {
protected:
  /// Runs lines that define `%r`, a tile of `type`, from `%a`, which is loaded from `in` as a tile of
  /// `inType`.
  template <typename Out, typename In>
  std::vector<Out> compute(std::string inType, std::vector<In> in, std::string type, size_t n,
                           std::string lines) {
    std::vector<Out> out(n);
    std::string element = inType.substr(inType.rfind('x') + 1), outElement = type.substr(type.rfind('x') + 1);
    auto zeros = [](const std::string &shape) {
      std::string list = "%c0";
      for (char c : shape.substr(0, shape.rfind('x')))
        list += c == 'x' ? ", %c0" : "";
      return list;
    };
    std::string body = "%v = tilus.global_view %x : !tilus.ptr<" + element + "> -> !tilus.global<" + inType +
                       ">\n%a = tilus.load_global %v[" + zeros(inType) + "] : !tilus.global<" + inType +
                       "> -> tensor<" + inType + ">\n" + lines + "\n%o = tilus.global_view %y : !tilus.ptr<" +
                       outElement + "> -> !tilus.global<" + type + ">\ntilus.store_global %r, %o[" +
                       zeros(type) + "] : tensor<" + type + ">, !tilus.global<" + type + ">";
    EXPECT_TRUE(runBody("%x: !tilus.ptr<" + element + ">, %y: !tilus.ptr<" + outElement + ">", body,
                        {Arg::buffer(in), Arg::buffer(out)}))
        << getError();
    return out;
  }
};
} // namespace

using testing::Each;
using testing::ElementsAre;

static std::vector<int32_t> numbers(size_t n, int32_t first = 0) {
  std::vector<int32_t> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = first + int32_t(i);
  return values;
}

TEST_F(TensorTest, BroadcastsAndTransposes) {
  std::vector<int32_t> r = compute<int32_t>("3x1xi32", numbers(3), "2x3x4xi32", 24,
                                            "%r = tilus.broadcast %a : tensor<3x1xi32> -> tensor<2x3x4xi32>");
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(r[i], i / 4 % 3);
  std::vector<int32_t> t =
      compute<int32_t>("2x3x4xi32", numbers(24), "4x2x3xi32", 24,
                       "%r = tilus.transpose %a [2, 0, 1] : tensor<2x3x4xi32> -> tensor<4x2x3xi32>");
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 2; ++b)
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(t[(a * 2 + b) * 3 + c], (b * 3 + c) * 4 + a);
}

TEST_F(TensorTest, SlicesInsideAndOutside) {
  for (int offset : {-1, 0, 2, 3}) {
    std::string constant = "%k = arith.constant " + std::to_string(offset) + " : i32\n";
    std::vector<int32_t> out = compute<int32_t>(
        "3x5xi32", numbers(15, 1), "5xi32", 5,
        constant + "%r = tilus.extract_slice %a[%k] dims [0] : tensor<3x5xi32> -> tensor<5xi32>");
    std::vector<int32_t> in = compute<int32_t>(
        "3x5xi32", numbers(15, 1), "3x5xi32", 15,
        constant + "%i = tilus.iota dim(0) : tensor<3xi32>\n"
                   "%r = tilus.insert_slice %i, %a[%k] dims [1] : tensor<3xi32>, tensor<3x5xi32>");
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(out[i], offset >= 0 && offset < 3 ? offset * 5 + i + 1 : 0);
    for (int i = 0; i < 15; ++i)
      EXPECT_EQ(in[i], i % 5 == offset ? i / 5 : i + 1);
  }
}

// Each of 128 threads holds two neighbours of 16 bits, which become one word.
TEST_F(TensorTest, ViewsRegistersThroughBothLayouts) {
  std::vector<uint16_t> in(256);
  for (int i = 0; i < 256; ++i)
    in[i] = uint16_t(i * 259);
  std::string pairs = "#tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>";
  std::string words = "#tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>";
  std::vector<uint32_t> r = compute<uint32_t>(
      "256xi16", in, "128xi32", 128,
      "%p = tilus.convert_layout %a : tensor<256xi16> -> tensor<256xi16, " + pairs +
          ">\n%w = tilus.view %p : tensor<256xi16, " + pairs + "> -> tensor<128xi32, " + words +
          ">\n%r = tilus.convert_layout %w : tensor<128xi32, " + words + "> -> tensor<128xi32>");
  for (int i = 0; i < 128; ++i)
    EXPECT_EQ(r[i], in[2 * i] | uint32_t(in[2 * i + 1]) << 16);
}

// The known answer of Philox 4x32-10 for counter and key zero (Random123, kat_vectors).
TEST_F(TensorTest, MakesTheRandomWordsOfThePaper) {
  std::vector<uint32_t> r =
      compute<uint32_t>("2xi32", numbers(2), "4x2xi32", 8,
                        "%seed = arith.constant 0 : i64\n"
                        "%r = tilus.random %seed, %a : tensor<2xi32> -> tensor<4x2xi32>");
  EXPECT_THAT((std::vector<uint32_t>{r[0], r[2], r[4], r[6]}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
}

//===----------------------------------------------------------------------===//
// Reductions and scans
//===----------------------------------------------------------------------===//

TEST_F(TensorTest, ReducesEachAxisOfSizesThatAreNotPowersOfTwo) {
  std::vector<int32_t> in = numbers(480, -100);
  std::vector<int32_t> rows = compute<int32_t>(
      "6x80xi32", in, "6xi32", 6, "%r = tilus.reduce add, %a dim(1) : tensor<6x80xi32> -> tensor<6xi32>");
  std::vector<int32_t> columns =
      compute<int32_t>("6x80xi32", in, "1x80xi32", 80,
                       "%r = tilus.reduce add, %a dim(0) keep_dim : tensor<6x80xi32> -> tensor<1x80xi32>");
  for (int m = 0; m < 6; ++m) {
    int32_t sum = 0;
    for (int n = 0; n < 80; ++n)
      sum += in[m * 80 + n];
    EXPECT_EQ(rows[m], sum);
  }
  for (int n = 0; n < 80; ++n)
    EXPECT_EQ(columns[n], 6 * in[n] + 80 * 15);
  EXPECT_THAT(compute<int32_t>("48xi32", numbers(48, 1), "1xi32", 1,
                               "%r = tilus.reduce add, %a dim(0) keep_dim : tensor<48xi32> -> tensor<1xi32>"),
              ElementsAre(1176));
}

TEST_F(TensorTest, ReducesWithTheIdentityOfTheKind) {
  auto reduce = [&](auto zero, std::string kind, std::string type, auto in) {
    std::string tile = std::to_string(in.size()) + "x" + type;
    return compute<decltype(zero)>(tile, in, "1x" + type, 1,
                                   "%r = tilus.reduce " + kind + ", %a dim(0) keep_dim : tensor<" + tile +
                                       "> -> tensor<1x" + type + ">")[0];
  };
  EXPECT_EQ(reduce(0.f, "max", "f32", std::vector<float>{-3, -1, -2}), -1.f);
  EXPECT_EQ(reduce(0.f, "max", "f32", std::vector<float>{-INFINITY, -INFINITY}), -INFINITY);
  EXPECT_TRUE(std::isnan(reduce(0.f, "max", "f32", std::vector<float>{1, NAN, 2})));
  EXPECT_EQ(reduce(0.f, "maxnum", "f32", std::vector<float>{1, NAN, 2}), 2.f);
  EXPECT_TRUE(std::isnan(reduce(0.f, "min", "f32", std::vector<float>{1, NAN, 2})));
  EXPECT_EQ(reduce(int8_t(0), "max", "i8", std::vector<int8_t>{-128, -128}), -128);
  EXPECT_EQ(reduce(uint8_t(0), "umax", "i8", std::vector<uint8_t>{1, 255, 3}), 255);
  EXPECT_EQ(reduce(int8_t(0), "mul", "i8", std::vector<int8_t>{100, 3, 1}), int8_t(300));
  EXPECT_EQ(reduce(0u, "umin", "i32", std::vector<uint32_t>{7, 0xffffffff}), 7u);
  EXPECT_EQ(reduce(0u, "xor", "i32", std::vector<uint32_t>{12, 10, 1}), 7u);
  EXPECT_EQ(reduce(0u, "and", "i32", std::vector<uint32_t>{12, 10}), 8u);
  EXPECT_EQ(reduce(0u, "or", "i32", std::vector<uint32_t>{12, 10}), 14u);
  // 4096 ones are summed in f32: in f16 the sum would stick at 2048.
  EXPECT_EQ(reduce(uint16_t(0), "add", "f16", std::vector<uint16_t>(4096, 0x3c00)), 0x6c00);
}

TEST_F(TensorTest, ScansEachAxisBothWays) {
  int sizes[] = {2, 3, 8};
  for (int dim = 0; dim < 3; ++dim) {
    for (bool exclusive : {false, true}) {
      for (bool reverse : {false, true}) {
        std::vector<int32_t> in = numbers(48, 1);
        std::vector<int32_t> out = compute<int32_t>("2x3x8xi32", in, "2x3x8xi32", 48,
                                                    "%r = tilus.scan add, %a dim(" + std::to_string(dim) +
                                                        ")" + (exclusive ? " exclusive" : "") +
                                                        (reverse ? " reverse" : "") + " : tensor<2x3x8xi32>");
        int stride = dim == 0 ? 24 : dim == 1 ? 8 : 1;
        for (int i = 0; i < 48; ++i) {
          int at = i / stride % sizes[dim], sum = 0;
          for (int k = 0; k < sizes[dim]; ++k)
            if (reverse ? k > at || (k == at && !exclusive) : k < at || (k == at && !exclusive))
              sum += in[i + (k - at) * stride];
          EXPECT_EQ(out[i], sum) << dim << exclusive << reverse;
        }
      }
    }
  }
  for (size_t n : {1, 3, 8, 32, 48, 1024}) {
    std::string type = std::to_string(n) + "xi32";
    std::vector<int32_t> ones(n, 1);
    EXPECT_EQ(compute<int32_t>(type, ones, type, n, "%r = tilus.scan add, %a dim(0) : tensor<" + type + ">"),
              numbers(n, 1));
    EXPECT_EQ(compute<int32_t>(type, ones, type, n,
                               "%r = tilus.scan add, %a dim(0) exclusive : tensor<" + type + ">"),
              numbers(n));
  }
}

TEST_F(TensorTest, SelectsAndCompares) {
  std::vector<int32_t> r = compute<int32_t>("8xi32", numbers(8, -4), "8xi32", 8,
                                            "%z = arith.constant dense<0> : tensor<8xi32>\n"
                                            "%c = arith.cmpi slt, %a, %z : tensor<8xi32>\n"
                                            "%u = arith.cmpi ult, %a, %z : tensor<8xi32>\n"
                                            "%f = arith.constant false\n"
                                            "%s = arith.select %f, %z, %a : tensor<8xi32>\n"
                                            "%r = arith.select %c, %z, %s : tensor<8xi1>, tensor<8xi32>");
  EXPECT_THAT(r, ElementsAre(0, 0, 0, 0, 0, 1, 2, 3));
}

TEST_F(TensorTest, ComparesFloatsByAllPredicates) {
  const char *names[] = {"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord",
                         "ueq",   "ugt", "uge", "ult", "ule", "une", "uno", "true"};
  std::vector<float> a = {1, 2, 1, NAN};
  for (int i = 0; i < 16; ++i) {
    std::vector<uint8_t> r =
        compute<uint8_t>("4xf32", a, "4xi1", 4,
                         "%b = arith.constant dense<[1.0, 1.0, 2.0, 1.0]> : tensor<4xf32>\n%r = arith.cmpf " +
                             std::string(names[i]) + ", %a, %b : tensor<4xf32>");
    std::string name = names[i];
    bool unordered = name == "true" || (name[0] == 'u'), all = name == "true" || name == "ord";
    std::string relation = name.size() == 3 ? name.substr(1) : "";
    EXPECT_EQ(r[0], all || relation == "eq" || relation == "ge" || relation == "le") << name;
    EXPECT_EQ(r[1], all || relation == "gt" || relation == "ge" || relation == "ne") << name;
    EXPECT_EQ(r[2], all || relation == "lt" || relation == "le" || relation == "ne") << name;
    EXPECT_EQ(r[3], unordered) << name;
  }
}
