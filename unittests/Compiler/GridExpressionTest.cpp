// Tests of grid expressions made from arith, against the same arithmetic in C++.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/KernelMetadata.h"

#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <random>

using namespace tilus;

namespace {
/// An expression of two i32 parameters, as text and as C++.
struct Row {
  const char *body;
  int64_t (*compute)(int32_t, int32_t);
  /// The second parameter is a divisor or a shift amount.
  bool isPositive = false;
};

class GridExpressionTest : public testing::Test {
protected:
  GridExpressionTest() {
    mlir::DialectRegistry registry;
    registerCompilerDialects(registry);
    context.appendDialectRegistry(registry);
  }
  /// The expression of `%r: i32`, which the body computes from `%a` and `%b`.
  GridExpr build(const std::string &body) {
    std::string text =
        "tilus.kernel @k(%a: i32, %b: i32) warps(1) grid {\n" + body + "\ntilus.grid [%r] } { }";
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << body;
    KernelOp kernel = getKernels(*module).front();
    auto grid = mlir::cast<GridOp>(kernel.getGrid().back().getTerminator());
    mlir::FailureOr<GridExpr> expr = buildGridExpr(grid.getBlocks()[0], kernel);
    EXPECT_TRUE(mlir::succeeded(expr)) << body;
    return mlir::succeeded(expr) ? *expr : GridExpr();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};
} // namespace

static int32_t wrap(int64_t value) { return static_cast<int32_t>(value); }
static int64_t floorDivide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static const Row rows[] = {
    {"%r = arith.addi %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return wrap(int64_t(a) + b); }},
    {"%r = arith.subi %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return wrap(int64_t(a) - b); }},
    {"%r = arith.muli %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return wrap(int64_t(a) * b); }},
    {"%r = arith.divsi %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return a / b; }, true},
    {"%r = arith.remsi %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return a % b; }, true},
    {"%r = arith.floordivsi %a, %b : i32", [](int32_t a, int32_t b) { return floorDivide(a, b); }, true},
    {"%r = arith.ceildivsi %a, %b : i32", [](int32_t a, int32_t b) { return -floorDivide(-int64_t(a), b); },
     true},
    {"%r = arith.divui %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(uint32_t(a) / uint32_t(b)); }, true},
    {"%r = arith.ceildivui %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap((uint64_t(uint32_t(a)) + b - 1) / b); }, true},
    {"%r = arith.remui %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(uint32_t(a) % uint32_t(b)); }, true},
    {"%r = arith.minsi %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return std::min(a, b); }},
    {"%r = arith.maxui %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(std::max(uint32_t(a), uint32_t(b))); }},
    {"%r = arith.minui %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(std::min(uint32_t(a), uint32_t(b))); }},
    {"%r = arith.xori %a, %b : i32", [](int32_t a, int32_t b) -> int64_t { return a ^ b; }},
    {"%c = arith.constant 31 : i32\n%s = arith.andi %b, %c : i32\n%r = arith.shli %a, %s : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(uint32_t(a) << (b & 31)); }},
    {"%c = arith.constant 31 : i32\n%s = arith.andi %b, %c : i32\n%r = arith.shrui %a, %s : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(uint32_t(a) >> (b & 31)); }},
    {"%c = arith.constant 31 : i32\n%s = arith.andi %b, %c : i32\n%r = arith.shrsi %a, %s : i32",
     [](int32_t a, int32_t b) -> int64_t { return a >> (b & 31); }},
    {"%c = arith.cmpi sgt, %a, %b : i32\n%r = arith.select %c, %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return a > b ? a : b; }},
    {"%c = arith.cmpi uge, %a, %b : i32\n%r = arith.select %c, %a, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return uint32_t(a) >= uint32_t(b) ? a : b; }},
    {"%c = arith.cmpi ult, %a, %b : i32\n%r = arith.extsi %c : i1 to i32",
     [](int32_t a, int32_t b) -> int64_t { return uint32_t(a) < uint32_t(b) ? -1 : 0; }},
    {"%c = arith.cmpi ne, %a, %b : i32\n%r = arith.extui %c : i1 to i32",
     [](int32_t a, int32_t b) -> int64_t { return a != b; }},
    {"%t = arith.constant true\n%c = arith.cmpi sle, %a, %b : i32\n%d = arith.cmpi slt, %c, %t : i1\n"
     "%r = arith.extui %d : i1 to i32",
     [](int32_t, int32_t) -> int64_t { return 0; }}, // -1 and 0 are not below -1
    {"%t = arith.trunci %a : i32 to i8\n%u = arith.extui %t : i8 to i32\n%r = arith.addi %u, %b : i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(int64_t(uint8_t(a)) + b); }},
    {"%x = arith.index_cast %a : i32 to index\n%y = arith.index_castui %b : i32 to index\n"
     "%z = arith.addi %x, %y : index\n%r = arith.index_cast %z : index to i32",
     [](int32_t a, int32_t b) -> int64_t { return wrap(int64_t(a) + uint32_t(b)); }},
};

TEST_F(GridExpressionTest, ComputesWhatArithDoes) {
  std::mt19937 random(3);
  const int32_t corners[] = {0, 1, -1, 2, 31, 32, 1023, 1024, INT32_MAX, INT32_MIN + 1, INT32_MIN};
  for (const Row &row : rows) {
    GridExpr expr = build(row.body);
    for (int trial = 0; trial < 300; ++trial) {
      int32_t a = trial < 100 ? corners[trial % 11] : int32_t(random());
      int32_t b = trial < 121 ? corners[trial / 11] : int32_t(random());
      if (row.isPositive && b <= 0)
        continue;
      llvm::Expected<int64_t> value = expr.evaluate({a, b});
      ASSERT_TRUE(bool(value)) << row.body << " " << llvm::toString(value.takeError());
      ASSERT_EQ(*value, row.compute(a, b)) << row.body << " of " << a << ", " << b;
    }
  }
}
