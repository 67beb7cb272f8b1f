// Validation, evaluation and text form of grid expressions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/GridExpr.h"
#include "Tilus/Support/BitAccess.h"
#include "Tilus/Support/IntMath.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include <algorithm>
#include <array>
#include <optional>

namespace tilus {

namespace {
struct OpRow {
  llvm::StringLiteral name;
  unsigned operands;
};
} // namespace

static constexpr OpRow opRows[] = {
#define TILUS_GRID_OP(Enumerator, Name, Operands) {Name, Operands},
#include "Tilus/Support/GridOps.def"
};

static constexpr size_t maxDepth = 32;

static const OpRow &getRow(GridOpcode op) { return opRows[static_cast<size_t>(op)]; }

static bool isExtension(GridOpcode op) {
  return op == GridOpcode::SignExtend || op == GridOpcode::ZeroExtend;
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

GridExpr GridExpr::constant(int64_t value) { return GridExpr({GridStep{GridOpcode::Const, value}}, 0); }

/// Checks one step; `depth` is the number of values alive before it.
static llvm::Error checkStep(const GridStep &step, size_t depth, unsigned paramCount) {
  if (static_cast<size_t>(step.op) >= std::size(opRows))
    return llvm::createStringError("expected a known grid operation, but got number " +
                                   llvm::Twine(static_cast<unsigned>(step.op)));
  const OpRow &row = getRow(step.op);
  if (depth < row.operands)
    return llvm::createStringError("expected " + llvm::Twine(row.operands) +
                                   " operands for grid operation '" + row.name + "', but got " +
                                   llvm::Twine(depth));
  if (depth - row.operands + 1 > maxDepth)
    return llvm::createStringError("expected at most " + llvm::Twine(maxDepth) +
                                   " values alive in a grid expression, but got " + llvm::Twine(depth + 1));
  if (step.op == GridOpcode::Param && (step.immediate < 0 || step.immediate >= int64_t(paramCount)))
    return llvm::createStringError("expected a parameter number below " + llvm::Twine(paramCount) +
                                   " in a grid expression, but got " + llvm::Twine(step.immediate));
  if (isExtension(step.op) && (step.immediate < 1 || step.immediate > 64))
    return llvm::createStringError("expected a width of 1 to 64 bits for grid operation '" + row.name +
                                   "', but got " + llvm::Twine(step.immediate));
  return llvm::Error::success();
}

llvm::Expected<GridExpr> GridExpr::create(llvm::ArrayRef<GridStep> steps, unsigned paramCount) {
  size_t depth = 0;
  for (const GridStep &step : steps) {
    if (llvm::Error error = checkStep(step, depth, paramCount))
      return std::move(error);
    depth = depth - getRow(step.op).operands + 1;
  }
  if (depth != 1)
    return llvm::createStringError("expected a grid expression to leave one value, but got " +
                                   llvm::Twine(depth));
  return GridExpr(steps, paramCount);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::optional<GridStep> parseStep(llvm::StringRef word) {
  int64_t immediate;
  if (!word.getAsInteger(10, immediate))
    return GridStep{GridOpcode::Const, immediate};
  if (word.size() > 1 && word[0] == 'p' && !word.drop_front().getAsInteger(10, immediate))
    return GridStep{GridOpcode::Param, immediate};
  for (GridOpcode op : {GridOpcode::SignExtend, GridOpcode::ZeroExtend}) {
    llvm::StringRef width = word;
    if (width.consume_front(getRow(op).name) && !width.getAsInteger(10, immediate))
      return GridStep{op, immediate};
  }
  for (auto [index, row] : llvm::enumerate(opRows)) {
    GridOpcode op = static_cast<GridOpcode>(index);
    if (row.operands != 0 && !isExtension(op) && row.name == word)
      return GridStep{op};
  }
  return std::nullopt;
}

llvm::Expected<GridExpr> GridExpr::parse(llvm::StringRef text, unsigned paramCount) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  llvm::SplitString(text, words, " ");
  llvm::SmallVector<GridStep, 8> steps;
  for (llvm::StringRef word : words) {
    std::optional<GridStep> step = parseStep(word);
    if (!step)
      return llvm::createStringError("expected a number, a parameter or a grid operation, but got '" + word +
                                     "'");
    steps.push_back(*step);
  }
  return create(steps, paramCount);
}

static std::string printStep(const GridStep &step) {
  if (step.op == GridOpcode::Const)
    return llvm::itostr(step.immediate);
  if (step.op == GridOpcode::Param)
    return "p" + llvm::itostr(step.immediate);
  std::string name = getRow(step.op).name.str();
  return isExtension(step.op) ? name + llvm::itostr(step.immediate) : name;
}

std::string GridExpr::toString() const {
  std::string text;
  for (const GridStep &step : steps)
    text += (text.empty() ? "" : " ") + printStep(step);
  return text;
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// The result of a division, or nothing where there is none.
static std::optional<int64_t> divide(GridOpcode op, int64_t a, int64_t b) {
  uint64_t ua = a, ub = b;
  if (ub == 0)
    return std::nullopt;
  switch (op) {
  case GridOpcode::DivU:
    return ua / ub;
  case GridOpcode::CeilDivU:
    return ua / ub + (ua % ub != 0);
  case GridOpcode::RemU:
    return ua % ub;
  case GridOpcode::RemS:
    return b == -1 ? 0 : a % b;
  default:
    break;
  }
  if (!canDivide(a, b))
    return std::nullopt;
  if (op == GridOpcode::FloorDivS)
    return floorDiv(a, b);
  return op == GridOpcode::CeilDivS ? ceilDiv(a, b) : a / b;
}

static std::optional<int64_t> shift(GridOpcode op, int64_t a, int64_t b) {
  if (b < 0 || b > 63)
    return std::nullopt;
  if (op == GridOpcode::Shl)
    return static_cast<uint64_t>(a) << b;
  return op == GridOpcode::ShrS ? a >> b : static_cast<int64_t>(static_cast<uint64_t>(a) >> b);
}

/// The result of an operation with two operands, or nothing where it has none.
static std::optional<int64_t> computeBinary(GridOpcode op, int64_t a, int64_t b) {
  uint64_t ua = a, ub = b;
  switch (op) {
  case GridOpcode::Add:
    return ua + ub;
  case GridOpcode::Sub:
    return ua - ub;
  case GridOpcode::Mul:
    return ua * ub;
  case GridOpcode::MinS:
    return std::min(a, b);
  case GridOpcode::MaxS:
    return std::max(a, b);
  case GridOpcode::MinU:
    return std::min(ua, ub);
  case GridOpcode::MaxU:
    return std::max(ua, ub);
  case GridOpcode::And:
    return a & b;
  case GridOpcode::Or:
    return a | b;
  case GridOpcode::Xor:
    return a ^ b;
  case GridOpcode::CmpEq:
    return a == b;
  case GridOpcode::CmpNe:
    return a != b;
  case GridOpcode::CmpLtS:
    return a < b;
  case GridOpcode::CmpLeS:
    return a <= b;
  case GridOpcode::CmpLtU:
    return ua < ub;
  case GridOpcode::CmpLeU:
    return ua <= ub;
  case GridOpcode::Shl:
  case GridOpcode::ShrS:
  case GridOpcode::ShrU:
    return shift(op, a, b);
  default:
    return divide(op, a, b);
  }
}

static llvm::Error describeUndefined(GridOpcode op, int64_t a, int64_t b) {
  bool isShift = op == GridOpcode::Shl || op == GridOpcode::ShrS || op == GridOpcode::ShrU;
  llvm::StringRef rule = isShift  ? "a shift amount from 0 to 63"
                         : b == 0 ? "a divisor other than 0"
                                  : "a quotient of 64 bits";
  return llvm::createStringError("expected " + rule + " in the grid expression, but got '" + llvm::Twine(a) +
                                 " " + getRow(op).name + " " + llvm::Twine(b) + "'");
}

llvm::Expected<int64_t> GridExpr::evaluate(llvm::ArrayRef<int64_t> params) const {
  if (params.size() < paramCount)
    return llvm::createStringError("expected " + llvm::Twine(paramCount) +
                                   " parameters for the grid expression, but got " +
                                   llvm::Twine(params.size()));
  // What most grids are: one operation on a parameter and a constant.
  if (steps.size() == 3 && steps[0].op == GridOpcode::Param && steps[1].op == GridOpcode::Const)
    if (std::optional<int64_t> result =
            computeBinary(steps[2].op, params[steps[0].immediate], steps[1].immediate))
      return *result;
  std::array<int64_t, maxDepth> stack;
  size_t depth = 0;
  for (const GridStep &step : steps) {
    depth -= getRow(step.op).operands;
    int64_t *top = stack.data() + depth++;
    switch (step.op) {
    case GridOpcode::Const:
      *top = step.immediate;
      break;
    case GridOpcode::Param:
      *top = params[step.immediate];
      break;
    case GridOpcode::SignExtend:
      *top = signExtend(*top, step.immediate);
      break;
    case GridOpcode::ZeroExtend:
      *top &= lowBitMask(step.immediate);
      break;
    case GridOpcode::Select:
      *top = top[0] ? top[1] : top[2];
      break;
    default:
      if (std::optional<int64_t> result = computeBinary(step.op, top[0], top[1]))
        *top = *result;
      else
        return describeUndefined(step.op, top[0], top[1]);
    }
  }
  return stack[0];
}

} // namespace tilus
