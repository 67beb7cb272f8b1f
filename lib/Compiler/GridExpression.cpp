// Host-side integer arithmetic as grid expressions.
//
// A grid expression computes on 64 bits. A value of an integer type of N < 64 bits is held sign-extended, one
// of i1 as 0 or 1; each op's result is brought back to that form.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/KernelMetadata.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilus;

namespace {
/// How an op reads its operands' bits.
enum class Signedness : uint8_t { Any, Signed, Unsigned };

/// An op of arith with operands and result of one type, and its grid operation.
struct OpRow {
  llvm::StringLiteral name;
  GridOpcode op;
  Signedness signedness;
};

/// A comparison; `isSwapped` exchanges the operands.
struct ComparisonRow {
  arith::CmpIPredicate predicate;
  GridOpcode op;
  Signedness signedness;
  bool isSwapped;
};

/// Writes the program of one value.
class GridExprBuilder {
public:
  explicit GridExprBuilder(KernelOp kernel) : kernel(kernel) {}
  LogicalResult append(Value value, Signedness signedness = Signedness::Any, unsigned depth = 0);
  ArrayRef<GridStep> getSteps() const { return steps; }

private:
  LogicalResult appendOp(Operation *op, unsigned depth);
  LogicalResult appendCast(Operation *op, unsigned depth);
  LogicalResult appendComparison(arith::CmpIOp op, unsigned depth);
  void normalize(Type type);
  void extend(Type type, Signedness signedness);
  void push(GridOpcode op, int64_t immediate = 0) { steps.push_back({op, immediate}); }

  KernelOp kernel;
  SmallVector<GridStep> steps;
};
} // namespace

/// A value used several times is computed several times: a bound for the whole program.
static constexpr unsigned maxSteps = 4096;
static constexpr unsigned maxDepth = 256;

static constexpr OpRow opRows[] = {
    {"arith.addi", GridOpcode::Add, Signedness::Any},
    {"arith.subi", GridOpcode::Sub, Signedness::Any},
    {"arith.muli", GridOpcode::Mul, Signedness::Any},
    {"arith.divsi", GridOpcode::DivS, Signedness::Signed},
    {"arith.floordivsi", GridOpcode::FloorDivS, Signedness::Signed},
    {"arith.ceildivsi", GridOpcode::CeilDivS, Signedness::Signed},
    {"arith.remsi", GridOpcode::RemS, Signedness::Signed},
    {"arith.divui", GridOpcode::DivU, Signedness::Unsigned},
    {"arith.ceildivui", GridOpcode::CeilDivU, Signedness::Unsigned},
    {"arith.remui", GridOpcode::RemU, Signedness::Unsigned},
    {"arith.minsi", GridOpcode::MinS, Signedness::Signed},
    {"arith.maxsi", GridOpcode::MaxS, Signedness::Signed},
    {"arith.minui", GridOpcode::MinU, Signedness::Unsigned},
    {"arith.maxui", GridOpcode::MaxU, Signedness::Unsigned},
    {"arith.andi", GridOpcode::And, Signedness::Any},
    {"arith.ori", GridOpcode::Or, Signedness::Any},
    {"arith.xori", GridOpcode::Xor, Signedness::Any},
    {"arith.shli", GridOpcode::Shl, Signedness::Unsigned},
    {"arith.shrsi", GridOpcode::ShrS, Signedness::Signed},
    {"arith.shrui", GridOpcode::ShrU, Signedness::Unsigned},
};

static constexpr ComparisonRow comparisonRows[] = {
    {arith::CmpIPredicate::eq, GridOpcode::CmpEq, Signedness::Any, false},
    {arith::CmpIPredicate::ne, GridOpcode::CmpNe, Signedness::Any, false},
    {arith::CmpIPredicate::slt, GridOpcode::CmpLtS, Signedness::Signed, false},
    {arith::CmpIPredicate::sle, GridOpcode::CmpLeS, Signedness::Signed, false},
    {arith::CmpIPredicate::sgt, GridOpcode::CmpLtS, Signedness::Signed, true},
    {arith::CmpIPredicate::sge, GridOpcode::CmpLeS, Signedness::Signed, true},
    {arith::CmpIPredicate::ult, GridOpcode::CmpLtU, Signedness::Unsigned, false},
    {arith::CmpIPredicate::ule, GridOpcode::CmpLeU, Signedness::Unsigned, false},
    {arith::CmpIPredicate::ugt, GridOpcode::CmpLtU, Signedness::Unsigned, true},
    {arith::CmpIPredicate::uge, GridOpcode::CmpLeU, Signedness::Unsigned, true},
};

static unsigned getWidth(Type type) { return type.isIndex() ? 64 : type.getIntOrFloatBitWidth(); }

void GridExprBuilder::normalize(Type type) {
  unsigned width = getWidth(type);
  if (width < 64)
    push(width == 1 ? GridOpcode::ZeroExtend : GridOpcode::SignExtend, width);
}

/// Brings a value from the form it is held in to the one that an op reads.
void GridExprBuilder::extend(Type type, Signedness signedness) {
  unsigned width = getWidth(type);
  if (signedness == Signedness::Signed && width == 1)
    push(GridOpcode::SignExtend, 1);
  if (signedness == Signedness::Unsigned && width > 1 && width < 64)
    push(GridOpcode::ZeroExtend, width);
}

LogicalResult GridExprBuilder::append(Value value, Signedness signedness, unsigned depth) {
  if (!value.getType().isIntOrIndex())
    return kernel.emitOpError("expected integers where the host computes sizes, but got ") << value.getType();
  if (depth > maxDepth || steps.size() > maxSteps)
    return kernel.emitOpError("expected a size that the host computes in at most ")
           << maxSteps << " steps, " << maxDepth << " deep, but got more";
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    bool isBool = value.getType().isInteger(1);
    push(GridOpcode::Const, isBool ? constant.getZExtValue() : constant.getSExtValue());
  } else if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner()->getParentOp() != kernel || !argument.getOwner()->isEntryBlock())
      return kernel.emitOpError("expected a size that depends on the kernel's parameters alone, but it "
                                "depends on a value that changes inside the kernel");
    push(GridOpcode::Param, argument.getArgNumber());
    normalize(value.getType());
  } else if (failed(appendOp(value.getDefiningOp(), depth + 1))) {
    return failure();
  }
  extend(value.getType(), signedness);
  return success();
}

LogicalResult GridExprBuilder::appendCast(Operation *op, unsigned depth) {
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  bool isTruncation = isa<arith::TruncIOp>(op);
  Signedness signedness = isTruncation ? Signedness::Any
                          : isUnsigned ? Signedness::Unsigned
                                       : Signedness::Signed;
  if (failed(append(op->getOperand(0), signedness, depth)))
    return failure();
  normalize(op->getResult(0).getType());
  return success();
}

LogicalResult GridExprBuilder::appendComparison(arith::CmpIOp op, unsigned depth) {
  const ComparisonRow *row = llvm::find_if(
      comparisonRows, [&](const ComparisonRow &row) { return row.predicate == op.getPredicate(); });
  Value first = row->isSwapped ? op.getRhs() : op.getLhs();
  Value second = row->isSwapped ? op.getLhs() : op.getRhs();
  if (failed(append(first, row->signedness, depth)) || failed(append(second, row->signedness, depth)))
    return failure();
  push(row->op);
  return success();
}

LogicalResult GridExprBuilder::appendOp(Operation *op, unsigned depth) {
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return appendCast(op, depth);
  if (auto comparison = dyn_cast<arith::CmpIOp>(op))
    return appendComparison(comparison, depth);
  if (isa<arith::SelectOp>(op)) {
    for (Value operand : op->getOperands())
      if (failed(append(operand, Signedness::Any, depth)))
        return failure();
    push(GridOpcode::Select);
    return success();
  }
  StringRef name = op->getName().getStringRef();
  const OpRow *row = llvm::find_if(opRows, [&](const OpRow &row) { return row.name == name; });
  if (row == std::end(opRows))
    return op->emitOpError(
        "expected integer arithmetic that a launch can evaluate, where a size depends on it");
  for (Value operand : op->getOperands())
    if (failed(append(operand, row->signedness, depth)))
      return failure();
  push(row->op);
  normalize(op->getResult(0).getType());
  return success();
}

FailureOr<GridExpr> tilus::buildGridExpr(Value value, KernelOp kernel) {
  GridExprBuilder builder(kernel);
  if (failed(builder.append(value)))
    return failure();
  llvm::Expected<GridExpr> expr = GridExpr::create(builder.getSteps(), kernel.getArgumentTypes().size());
  if (expr)
    return *expr;
  return kernel.emitOpError(llvm::toString(expr.takeError()));
}
