// Random programs over integers, run on random inputs: what occurs never contradicts the analysis.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The programs are kernels made of arith ops; they are run by an interpreter of this test, on arbitrary-width
// integers, that knows nothing of the analysis.
#include "Tilus/Analysis/ScalarAnalysis.h"
#include "Tilus/IR/TilusDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using llvm::APInt;
using namespace tilus;

namespace {
struct Param {
  unsigned width;
  int64_t divisor;
};

/// A kernel's text: parameters of random widths and divisors, then random ops on what came before.
class ProgramWriter {
public:
  explicit ProgramWriter(unsigned seed) : random(seed) {}

  std::string write(unsigned numOps) {
    for (unsigned width : {8u, 8u, 16u, 32u, 64u, 1u}) {
      int64_t divisor = width == 1 ? 1 : pick<int64_t>({1, 1, 2, 3, 4, 6, 8, 12, 16, 32});
      params.push_back({width, divisor});
      add(width);
    }
    for (unsigned width : {8u, 8u, 16u, 32u, 64u})
      writeConstant(width);
    for (unsigned op = 0; op < numOps; ++op)
      writeOp();
    std::string signature;
    for (auto [index, param] : llvm::enumerate(params))
      signature += (index ? ", %v" : "%v") + std::to_string(index) + ": i" + std::to_string(param.width) +
                   " {tilus.divisibility = " + std::to_string(param.divisor) + "}";
    return "tilus.kernel @k(" + signature + ") warps(1) grid {\n  %g = arith.constant 1 : i32\n" +
           "  tilus.grid [%g]\n} {\n" + body + "}\n";
  }

  std::vector<Param> params;

private:
  template <typename T> T pick(std::vector<T> choices) { return choices[random() % choices.size()]; }

  std::string add(unsigned width) {
    widths.push_back(width);
    return "%v" + std::to_string(widths.size() - 1);
  }

  /// A value of this width: one of the last ones, or any.
  std::string use(unsigned width) {
    std::vector<unsigned> candidates;
    for (auto [index, other] : llvm::enumerate(widths))
      if (other == width)
        candidates.push_back(index);
    size_t recent = std::min<size_t>(candidates.size(), random() % 2 ? 4 : candidates.size());
    return "%v" + std::to_string(candidates[candidates.size() - 1 - random() % recent]);
  }

  void writeConstant(unsigned width) {
    int64_t value = pick<int64_t>({0, 1, 2, 3, 4, 7, 8, 12, 16, 31, 48, 64, 100, -1, -2, -8, -128});
    if (width > 8)
      value *= pick<int64_t>({1, 1, 3, 256});
    body += "  " + add(width) + " = arith.constant " + std::to_string(value) + " : i" +
            std::to_string(width) + "\n";
  }

  void writeOp() {
    unsigned width = pick<unsigned>({8, 8, 16, 32, 64}), other = pick<unsigned>({8, 16, 32, 64});
    std::string type = " : i" + std::to_string(width), to = " to i" + std::to_string(other);
    switch (random() % 8) {
    case 0:
      return writeConstant(width);
    case 1: {
      std::string left = use(width), right = use(width);
      std::string predicate =
          pick<std::string>({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"});
      body += "  " + add(1) + " = arith.cmpi " + predicate + ", " + left + ", " + right + type + "\n";
      return;
    }
    case 2: {
      std::string condition = use(1), left = use(width), right = use(width);
      body += "  " + add(width) + " = arith.select " + condition + ", " + left + ", " + right + type + "\n";
      return;
    }
    case 3: {
      if (width == other)
        return writeOp();
      std::string operand = use(width);
      std::string op = other < width ? "trunci" : pick<std::string>({"extsi", "extui"});
      body += "  " + add(other) + " = arith." + op + " " + operand + type + to + "\n";
      return;
    }
    default: {
      std::string left = use(width), right = use(width);
      std::string op =
          pick<std::string>({"addi",      "subi",  "muli",  "divsi", "divui", "floordivsi", "ceildivsi",
                             "ceildivui", "remsi", "remui", "minsi", "maxsi", "minui",      "maxui",
                             "andi",      "ori",   "xori",  "shli",  "shrsi", "shrui"});
      body += "  " + add(width) + " = arith." + op + " " + left + ", " + right + type + "\n";
    }
    }
  }

  std::mt19937 random;
  std::vector<unsigned> widths;
  std::string body;
};
} // namespace

/// The result of an op of two operands; nothing where it has none, as after a division by zero.
static std::optional<APInt> interpretBinary(StringRef name, const APInt &a, const APInt &b) {
  unsigned width = a.getBitWidth();
  bool divides = name.contains("div") || name.contains("rem");
  bool isSignedOverflow = a.isMinSignedValue() && b.isAllOnes() && name.contains("divsi");
  if ((divides && b.isZero()) || isSignedOverflow || (name.contains("sh") && b.uge(width)))
    return std::nullopt;
  using Function = APInt (*)(const APInt &, const APInt &);
  static const std::pair<StringRef, Function> rows[] = {
      {"arith.addi", [](const APInt &a, const APInt &b) { return a + b; }},
      {"arith.subi", [](const APInt &a, const APInt &b) { return a - b; }},
      {"arith.muli", [](const APInt &a, const APInt &b) { return a * b; }},
      {"arith.divsi", [](const APInt &a, const APInt &b) { return a.sdiv(b); }},
      {"arith.divui", [](const APInt &a, const APInt &b) { return a.udiv(b); }},
      {"arith.floordivsi",
       [](const APInt &a, const APInt &b) {
         return llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::DOWN);
       }},
      {"arith.ceildivsi",
       [](const APInt &a, const APInt &b) {
         return llvm::APIntOps::RoundingSDiv(a, b, APInt::Rounding::UP);
       }},
      {"arith.ceildivui",
       [](const APInt &a, const APInt &b) {
         return llvm::APIntOps::RoundingUDiv(a, b, APInt::Rounding::UP);
       }},
      {"arith.remsi", [](const APInt &a, const APInt &b) { return a.srem(b); }},
      {"arith.remui", [](const APInt &a, const APInt &b) { return a.urem(b); }},
      {"arith.minsi", [](const APInt &a, const APInt &b) { return llvm::APIntOps::smin(a, b); }},
      {"arith.maxsi", [](const APInt &a, const APInt &b) { return llvm::APIntOps::smax(a, b); }},
      {"arith.minui", [](const APInt &a, const APInt &b) { return llvm::APIntOps::umin(a, b); }},
      {"arith.maxui", [](const APInt &a, const APInt &b) { return llvm::APIntOps::umax(a, b); }},
      {"arith.andi", [](const APInt &a, const APInt &b) { return a & b; }},
      {"arith.ori", [](const APInt &a, const APInt &b) { return a | b; }},
      {"arith.xori", [](const APInt &a, const APInt &b) { return a ^ b; }},
      {"arith.shli", [](const APInt &a, const APInt &b) { return a.shl(b); }},
      {"arith.shrsi", [](const APInt &a, const APInt &b) { return a.ashr(b); }},
      {"arith.shrui", [](const APInt &a, const APInt &b) { return a.lshr(b); }},
  };
  for (auto [row, function] : rows)
    if (row == name)
      return function(a, b);
  return std::nullopt;
}

static bool interpretCompare(arith::CmpIPredicate predicate, const APInt &a, const APInt &b) {
  using P = arith::CmpIPredicate;
  bool results[] = {a == b,   a != b,   a.slt(b), a.sle(b), a.sgt(b),
                    a.sge(b), a.ult(b), a.ule(b), a.ugt(b), a.uge(b)};
  static_assert(int(P::eq) == 0 && int(P::uge) == 9);
  return results[int(predicate)];
}

/// The result of an op; nothing if an operand has none.
static std::optional<APInt> interpret(Operation &op, llvm::DenseMap<Value, APInt> &values) {
  SmallVector<APInt> operands;
  for (Value operand : op.getOperands()) {
    auto found = values.find(operand);
    if (found == values.end())
      return std::nullopt;
    operands.push_back(found->second);
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return cast<IntegerAttr>(constant.getValue()).getValue();
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return APInt(1, interpretCompare(compare.getPredicate(), operands[0], operands[1]));
  if (isa<arith::SelectOp>(op))
    return operands[0].isZero() ? operands[2] : operands[1];
  if (operands.size() == 2)
    return interpretBinary(op.getName().getStringRef(), operands[0], operands[1]);
  unsigned width = op.getResult(0).getType().getIntOrFloatBitWidth();
  if (isa<arith::ExtUIOp>(op))
    return operands[0].zext(width);
  return isa<arith::ExtSIOp>(op) ? operands[0].sext(width) : operands[0].trunc(width);
}

/// A random input of this parameter: near zero, near the ends, or anywhere.
static APInt drawInput(const Param &param, std::mt19937_64 &random) {
  int64_t value = int64_t(random()) >> (random() % 64);
  int64_t low = INT64_MIN >> (64 - param.width), high = INT64_MAX >> (64 - param.width);
  if (random() % 4 == 0)
    value = random() % 2 ? low : high;
  value = APInt(64, value, true).trunc(param.width).getSExtValue();
  return APInt(param.width, value - value % param.divisor, true);
}

TEST(ScalarProperty, FactsHoldOfEveryValue) {
  DialectRegistry registry;
  registerTilusDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  unsigned numExpressions = 0, numChecks = 0, numKnown = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    ProgramWriter writer(seed);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(writer.write(60), &context);
    ASSERT_TRUE(module);
    auto kernel = cast<KernelOp>(*module->getOps<KernelOp>().begin());
    Block &body = kernel.getBody().front();
    ScalarAnalysis scalars(kernel);
    std::mt19937_64 random(seed);
    for (unsigned round = 0; round < 40; ++round) {
      llvm::DenseMap<Value, APInt> values;
      for (auto [argument, param] : llvm::zip(body.getArguments(), writer.params))
        values[argument] = drawInput(param, random);
      for (Operation &op : body.without_terminator()) {
        std::optional<APInt> value = interpret(op, values);
        if (!value)
          continue;
        values[op.getResult(0)] = *value;
        ScalarFacts facts = scalars.getFacts(op.getResult(0), &op);
        ASSERT_TRUE(facts.contains(value->getSExtValue()))
            << "seed " << seed << ", value " << value->getSExtValue();
        ++numChecks;
      }
    }
    for (Operation &op : body.without_terminator()) {
      ++numExpressions;
      ScalarFacts any = ScalarFacts::any(*getScalarWidth(op.getResult(0).getType()));
      numKnown += !isa<arith::ConstantOp>(op) && scalars.getFacts(op.getResult(0), &op) != any;
    }
  }
  EXPECT_GE(numExpressions, 20000u);
  EXPECT_GE(numChecks, 500000u);
  // The facts say something: an analysis that knows nothing would pass otherwise.
  EXPECT_GE(numKnown, numExpressions / 4);
  RecordProperty("expressions", int(numExpressions));
  RecordProperty("checks", int(numChecks));
  RecordProperty("known", int(numKnown));
}
