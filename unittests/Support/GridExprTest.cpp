// Tests of grid expressions: validation, text form, evaluation against C++ arithmetic, errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/GridExpr.h"
#include "Tilus/Support/KernelArtifact.h"

#include "gtest/gtest.h"
#include <limits>

using namespace tilus;

static std::string message(llvm::Error error) { return llvm::toString(std::move(error)); }

static int64_t evaluate(llvm::StringRef text, llvm::ArrayRef<int64_t> params) {
  llvm::Expected<GridExpr> expr = GridExpr::parse(text, params.size());
  if (!expr) {
    ADD_FAILURE() << message(expr.takeError());
    return 0;
  }
  EXPECT_EQ(expr->toString(), text);
  llvm::Expected<int64_t> value = expr->evaluate(params);
  if (!value) {
    ADD_FAILURE() << message(value.takeError());
    return 0;
  }
  return *value;
}

static std::string parseError(llvm::StringRef text) {
  llvm::Expected<GridExpr> expr = GridExpr::parse(text, 2);
  return expr ? "no error" : message(expr.takeError());
}

static std::string evaluateError(llvm::StringRef text, llvm::ArrayRef<int64_t> params) {
  llvm::Expected<int64_t> value = llvm::cantFail(GridExpr::parse(text, params.size())).evaluate(params);
  return value ? "no error" : message(value.takeError());
}

TEST(GridExpr, EvaluatesEachOperation) {
  EXPECT_EQ(evaluate("p0 1024 ceildivs", {4097}), 5);
  EXPECT_EQ(evaluate("p0 1024 floordivs", {-1}), -1);
  EXPECT_EQ(evaluate("p0 1024 divs", {-1}), 0);
  EXPECT_EQ(evaluate("p0 p1 rems", {-7, 4}), -3);
  EXPECT_EQ(evaluate("p0 p1 add p0 p1 sub mul", {9, 4}), 65);
  EXPECT_EQ(evaluate("p0 p1 mins", {-1, 4}), -1);
  EXPECT_EQ(evaluate("p0 p1 minu", {-1, 4}), 4);
  EXPECT_EQ(evaluate("p0 p1 maxs", {-1, 4}), 4);
  EXPECT_EQ(evaluate("p0 p1 maxu", {-1, 4}), -1);
  EXPECT_EQ(evaluate("p0 2 divu", {-2}), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(evaluate("p0 10 remu", {-1}), 5);
  EXPECT_EQ(evaluate("p0 -1 ceildivu", {-1}), 1);
  EXPECT_EQ(evaluate("p0 p1 and p0 p1 or xor", {12, 10}), 6);
  EXPECT_EQ(evaluate("p0 4 shl", {3}), 48);
  EXPECT_EQ(evaluate("p0 1 shrs", {-3}), -2);
  EXPECT_EQ(evaluate("p0 60 shru", {-1}), 15);
  EXPECT_EQ(evaluate("p0 p1 lts 10 20 select", {1, 2}), 10);
  EXPECT_EQ(evaluate("p0 p1 ltu 10 20 select", {-1, 2}), 20);
  EXPECT_EQ(evaluate("p0 p1 les p0 p1 leu add p0 p1 eq add p0 p1 ne add", {2, 2}), 3);
  EXPECT_EQ(evaluate("p0 1 add sext32", {2147483647}), -2147483648LL);
  EXPECT_EQ(evaluate("p0 zext16", {-1}), 65535);
  EXPECT_EQ(evaluate("p0 1 add", {std::numeric_limits<int64_t>::max()}), std::numeric_limits<int64_t>::min());
}

TEST(GridExpr, DefaultIsOne) { EXPECT_EQ(llvm::cantFail(GridExpr().evaluate({})), 1); }

TEST(GridExpr, RefusesMalformedPrograms) {
  EXPECT_EQ(parseError("p0 add"), "expected 2 operands for grid operation 'add', but got 1");
  EXPECT_EQ(parseError("p0 p1"), "expected a grid expression to leave one value, but got 2");
  EXPECT_EQ(parseError(""), "expected a grid expression to leave one value, but got 0");
  EXPECT_EQ(parseError("p2"), "expected a parameter number below 2 in a grid expression, but got 2");
  EXPECT_EQ(parseError("p0 sext65"),
            "expected a width of 1 to 64 bits for grid operation 'sext', but got 65");
  EXPECT_EQ(parseError("p0 sqrt"), "expected a number, a parameter or a grid operation, but got 'sqrt'");
  EXPECT_EQ(parseError("99999999999999999999"),
            "expected a number, a parameter or a grid operation, but got '99999999999999999999'");
  llvm::SmallVector<GridStep> steps(33, GridStep{GridOpcode::Const, 1});
  EXPECT_EQ(message(GridExpr::create(steps, 0).takeError()),
            "expected at most 32 values alive in a grid expression, but got 33");
  EXPECT_EQ(message(GridExpr::create({GridStep{static_cast<GridOpcode>(200)}}, 0).takeError()),
            "expected a known grid operation, but got number 200");
}

TEST(GridExpr, ReportsUndefinedResults) {
  EXPECT_EQ(evaluateError("p0 p1 ceildivs", {7, 0}),
            "expected a divisor other than 0 in the grid expression, but got '7 ceildivs 0'");
  EXPECT_EQ(evaluateError("p0 0 remu", {7}),
            "expected a divisor other than 0 in the grid expression, but got '7 remu 0'");
  EXPECT_EQ(evaluateError("p0 -1 divs", {std::numeric_limits<int64_t>::min()}),
            "expected a quotient of 64 bits in the grid expression, but got '-9223372036854775808 divs -1'");
  EXPECT_EQ(evaluateError("p0 64 shl", {1}),
            "expected a shift amount from 0 to 63 in the grid expression, but got '1 shl 64'");
  EXPECT_EQ(message(llvm::cantFail(GridExpr::parse("p0", 1)).evaluate({}).takeError()),
            "expected 1 parameters for the grid expression, but got 0");
}

TEST(KernelParam, TakesWholePowersOfTwoOfBytes) {
  auto bytes = [](KernelParam::Kind kind, llvm::StringRef format) {
    return KernelParam{"x", kind, *ScalarFormat::parse(format)}.getBytes();
  };
  EXPECT_EQ(bytes(KernelParam::Kind::Pointer, "i4"), 8u);
  EXPECT_EQ(bytes(KernelParam::Kind::Scalar, "i1"), 1u);
  EXPECT_EQ(bytes(KernelParam::Kind::Scalar, "bf16"), 2u);
  EXPECT_EQ(bytes(KernelParam::Kind::Scalar, "i24"), 4u);
  EXPECT_EQ(bytes(KernelParam::Kind::Scalar, "tf32"), 4u);
  EXPECT_EQ(bytes(KernelParam::Kind::Scalar, "i33"), 8u);
}
