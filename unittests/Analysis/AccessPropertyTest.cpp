// Random views and accesses, run on random inputs: what is said of bounds, vectors and masks holds of each
// element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The test writes a kernel of one access, draws parameters that satisfy what the kernel states of them, and
// computes each element's place from the definition of a view.
#include "Tilus/Analysis/AccessAnalysis.h"
#include "Tilus/IR/TilusDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace tilus;

namespace {
/// An integer of the view: static, or a parameter with a divisor.
struct Number {
  bool isStatic;
  int64_t value; // drawn for each run unless static
  int64_t divisor;
};

/// A view of rank 2, and an access of a tile of rank 2 to it.
struct Case {
  std::string element;
  int64_t bits, pointerDivisor;
  Number sizes[2], strides[2], offsets[2];
  int64_t tile[2];
  bool isSwapped, isSliced;
};
} // namespace

static std::string typeText(const Number &number) {
  return number.isStatic ? std::to_string(number.value) : "?";
}

class AccessProperty : public ::testing::Test {
protected:
  AccessProperty() : random(7) {
    DialectRegistry registry;
    registerTilusDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  template <typename T> T pick(std::vector<T> choices) { return choices[random() % choices.size()]; }

  Number drawNumber(std::vector<int64_t> statics) {
    return {random() % 2 == 0, pick(statics), pick<int64_t>({1, 2, 3, 4, 8, 12, 16, 32})};
  }

  Case drawCase() {
    auto [element, bits] = pick<std::pair<std::string, int64_t>>({{"f16", 16},
                                                                  {"f32", 32},
                                                                  {"i8", 8},
                                                                  {"i4", 4},
                                                                  {"f6E2M3FN", 6},
                                                                  {"i1", 8},
                                                                  {"f64", 64},
                                                                  {"!tilus.bit", 1}});
    Case it{element,          bits, pick<int64_t>({1, 2, 4, 8, 16, 48}), {}, {}, {}, {}, random() % 2 == 0,
            random() % 3 == 0};
    for (int dim : {0, 1}) {
      it.sizes[dim] = drawNumber({0, 1, 7, 8, 24, 64});
      it.strides[dim] = drawNumber({1, 1, 8, 12, 64});
      it.offsets[dim] = drawNumber({0, 0, 1, 4, 8, -8, -3, 16});
      it.tile[dim] = pick<int64_t>({1, 2, 8, 12, 32});
    }
    it.strides[random() % 2] = {true, 1, 1};
    return it;
  }

  std::string write(const Case &it) {
    std::string params = "%p: !tilus.ptr<" + it.element +
                         "> {tilus.divisibility = " + std::to_string(it.pointerDivisor) + "}, %s: i32",
                body, sizes, strides, offsets;
    auto add = [&](const Number &number, const std::string &name, std::string &list, bool isOperand) {
      if (number.isStatic && !isOperand)
        return;
      list += (list.empty() ? "%" : ", %") + name;
      if (number.isStatic)
        body += "  %" + name + " = arith.constant " + std::to_string(number.value) + " : i32\n";
      else
        params += ", %" + name + ": i32 {tilus.divisibility = " + std::to_string(number.divisor) + "}";
    };
    for (int dim : {0, 1}) {
      add(it.sizes[dim], "size" + std::to_string(dim), sizes, false);
      add(it.strides[dim], "stride" + std::to_string(dim), strides, false);
      add(it.offsets[dim], "offset" + std::to_string(dim), offsets, true);
    }
    std::string shape = typeText(it.sizes[0]) + "x" + typeText(it.sizes[1]) + "x" + it.element;
    std::string inner = typeText(it.strides[0]) + ", " + typeText(it.strides[1]) + "]>";
    std::string whole = "!tilus.global<" + std::string(it.isSliced ? "5x" : "") + shape + ", strides = [" +
                        (it.isSliced ? "24, " : "") + inner;
    std::string view = "!tilus.global<" + shape + ", strides = [" + inner;
    body += "  %w = tilus.global_view %p " + (sizes.empty() ? "" : "[" + sizes + "]") +
            (strides.empty() ? "" : " strides [" + strides + "]") + " : !tilus.ptr<" + it.element + "> -> " +
            whole + "\n";
    if (it.isSliced)
      body += "  %v = tilus.slice_global %w[%s] dims [0] : " + whole + " -> " + view + "\n";
    body += "  %t = tilus.load_global " + std::string(it.isSliced ? "%v" : "%w") + "[" + offsets + "]" +
            (it.isSwapped ? " dims [1, 0]" : "") + " : " + view + " -> tensor<" + std::to_string(it.tile[0]) +
            "x" + std::to_string(it.tile[1]) + "x" + it.element + ">\n";
    return "tilus.kernel @k(" + params +
           ") warps(1) grid {\n  %g = arith.constant 1 : i32\n  tilus.grid [%g]\n} {\n" + body + "}\n";
  }

  void drawInputs(Case &it) {
    for (Number *numbers : {it.sizes, it.strides, it.offsets})
      for (int dim : {0, 1})
        if (!numbers[dim].isStatic)
          numbers[dim].value =
              numbers[dim].divisor * (int64_t(random() % 12) - (numbers == it.sizes ? 1 : 3));
  }

  std::mt19937 random;
  MLIRContext context;
};

/// Whether an element of the tile is within the view, and the bit at which it starts.
static std::pair<bool, int64_t> locate(const Case &it, int64_t base, const int64_t (&index)[2]) {
  bool isInside = true;
  int64_t element = 0;
  for (int tileDim : {0, 1}) {
    int dim = it.isSwapped ? 1 - tileDim : tileDim;
    int64_t place = it.offsets[dim].value + index[tileDim];
    isInside &= place >= 0 && place < it.sizes[dim].value;
    element += place * it.strides[dim].value;
  }
  return {isInside, base + element * it.bits};
}

/// Checks what is said against each element, for one input. Returns the first thing that does not hold.
static std::string check(const Case &it, const AccessFacts &facts, int64_t base) {
  for (int tileDim : {0, 1}) {
    int dim = it.isSwapped ? 1 - tileDim : tileDim;
    int64_t first = it.offsets[dim].value, end = first + it.tile[tileDim];
    if (facts.inBounds[dim] && (first < 0 || end > it.sizes[dim].value))
      return "in_bounds";
    if (facts.nonNegative[dim] && first < 0)
      return "non_negative";
  }
  int64_t wide = std::min(facts.vector, facts.maskVector), along = facts.vectorDim;
  if (it.tile[along] % facts.vector != 0 || it.tile[along] % facts.maskVector != 0)
    return "groups do not tile the dimension";
  int64_t bytes = facts.vector * it.bits / 8, word = bytes & -bytes;
  if (facts.vector > 1 && (facts.vector * it.bits % 8 != 0 || bytes > 16))
    return "size of a vector";
  for (int64_t i = 0; i < it.tile[0]; ++i)
    for (int64_t j = 0; j < it.tile[1]; ++j) {
      int64_t index[2] = {i, j}, start[2] = {i, j};
      auto [isInside, bit] = locate(it, base, index);
      start[along] -= start[along] % facts.maskVector;
      if (locate(it, base, start).first != isInside)
        return "mask_vector";
      start[along] = index[along] - index[along] % wide;
      int64_t startBit = locate(it, base, start).second;
      if (isInside && wide > 1 && bit != startBit + (index[along] - start[along]) * it.bits)
        return "vector is not contiguous";
      start[along] = index[along] - index[along] % facts.vector;
      auto [isStartInside, groupBit] = locate(it, base, start);
      if (isStartInside && isInside && facts.vector > 1 && groupBit % (word * 8) != 0)
        return "vector is not aligned";
    }
  return "";
}

TEST_F(AccessProperty, FactsHoldOfEveryElement) {
  int64_t numVectors = 0, numInBounds = 0, numNonNegative = 0, numMasks = 0;
  for (int round = 0; round < 3000; ++round) {
    Case it = drawCase();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(write(it), &context);
    ASSERT_TRUE(module) << write(it);
    auto kernel = cast<KernelOp>(*module->getOps<KernelOp>().begin());
    ScalarAnalysis scalars(kernel);
    AccessFacts facts;
    kernel.getBody().walk([&](LoadGlobalOp load) { facts = analyzeAccess(scalars, *getGlobalAccess(load)); });
    numVectors += facts.vector > 1;
    numMasks += facts.maskVector > 1;
    numNonNegative += facts.nonNegative[0] || facts.nonNegative[1];
    numInBounds += facts.inBounds[0] || facts.inBounds[1];
    for (int run = 0; run < 10; ++run) {
      drawInputs(it);
      int64_t slice = it.isSliced ? int64_t(random() % 9) - 2 : 0;
      int64_t base = it.pointerDivisor * 8 * int64_t(random() % 64 + 1000) + slice * 24 * it.bits;
      ASSERT_EQ(check(it, facts, base), "") << write(it);
    }
  }
  EXPECT_GE(numVectors, 300);
  EXPECT_GE(numMasks, 300);
  EXPECT_GE(numInBounds, 300);
  EXPECT_GE(numNonNegative, 300);
}
