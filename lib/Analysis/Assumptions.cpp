// What follows from a condition for the integers that it tests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/ScalarAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilus;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!getScalarWidth(value.getType()) || !matchPattern(value, m_ConstantInt(&constant)))
    return std::nullopt;
  return constant.getSExtValue();
}

/// Adds the facts for a value, and for what it is an extension of: they are the same number.
static void addFacts(Value value, const ScalarFacts &facts, SmallVectorImpl<Assumption> &assumptions) {
  assumptions.push_back({value, facts});
  Value source = peelExtensions(value);
  if (source != value)
    assumptions.push_back({source, facts});
}

static ScalarFacts multiplesOf(uint64_t divisor) {
  ScalarFacts facts;
  facts.divisor = divisor;
  return facts;
}

/// Adds what `value == 0` says of the operands of a remainder or of a mask of low bits.
static void addDivisibility(Value value, SmallVectorImpl<Assumption> &assumptions) {
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<arith::RemSIOp, arith::RemUIOp, arith::AndIOp>(op))
    return;
  std::optional<int64_t> constant = getConstant(op->getOperand(1));
  if (!constant || *constant == 0)
    return;
  uint64_t divisor = *constant < 0 ? -uint64_t(*constant) : uint64_t(*constant);
  // A negative number read as unsigned is another number, though of the same divisors among powers of two.
  if (isa<arith::RemUIOp>(op))
    divisor = powerOfTwoPart(divisor);
  if (isa<arith::AndIOp>(op))
    divisor = uint64_t(1) << std::min(llvm::countr_one(uint64_t(*constant)), 63);
  addFacts(op->getOperand(0), multiplesOf(divisor), assumptions);
}

/// The numbers that compare so with a constant; nothing if they are no range.
static std::optional<ScalarFacts> getComparedRange(arith::CmpIPredicate predicate, int64_t constant) {
  using Predicate = arith::CmpIPredicate;
  bool isUnsignedRange = constant >= 0;
  switch (predicate) {
  case Predicate::eq:
    return ScalarFacts::constant(constant);
  case Predicate::slt:
    return constant == INT64_MIN ? std::nullopt : std::optional(ScalarFacts::range(INT64_MIN, constant - 1));
  case Predicate::sle:
    return ScalarFacts::range(INT64_MIN, constant);
  case Predicate::sgt:
    return constant == INT64_MAX ? std::nullopt : std::optional(ScalarFacts::range(constant + 1, INT64_MAX));
  case Predicate::sge:
    return ScalarFacts::range(constant, INT64_MAX);
  case Predicate::ult:
    return isUnsignedRange && constant > 0 ? std::optional(ScalarFacts::range(0, constant - 1))
                                           : std::nullopt;
  case Predicate::ule:
    return isUnsignedRange ? std::optional(ScalarFacts::range(0, constant)) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The same comparison with its operands exchanged.
static arith::CmpIPredicate exchange(arith::CmpIPredicate predicate) {
  using Predicate = arith::CmpIPredicate;
  static constexpr std::pair<Predicate, Predicate> rows[] = {{Predicate::slt, Predicate::sgt},
                                                             {Predicate::sle, Predicate::sge},
                                                             {Predicate::ult, Predicate::ugt},
                                                             {Predicate::ule, Predicate::uge}};
  for (auto [a, b] : rows)
    if (predicate == a || predicate == b)
      return predicate == a ? b : a;
  return predicate;
}

static void addComparison(arith::CmpIOp compare, bool isTrue, SmallVectorImpl<Assumption> &assumptions) {
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!isTrue)
    predicate = arith::invertPredicate(predicate);
  Value left = compare.getLhs(), right = compare.getRhs();
  std::optional<int64_t> constant = getConstant(right);
  if (!constant) {
    std::swap(left, right);
    predicate = exchange(predicate);
    constant = getConstant(right);
  }
  if (!constant || !getScalarWidth(left.getType()))
    return;
  if (std::optional<ScalarFacts> facts = getComparedRange(predicate, *constant))
    addFacts(left, *facts, assumptions);
  if (predicate == arith::CmpIPredicate::eq && *constant == 0)
    addDivisibility(left, assumptions);
}

SmallVector<Assumption> tilus::collectAssumptions(Value condition, bool isTrue) {
  SmallVector<Assumption> assumptions;
  SmallVector<Value> conditions = {condition};
  while (!conditions.empty()) {
    Operation *op = conditions.pop_back_val().getDefiningOp();
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      addComparison(compare, isTrue, assumptions);
    // Both sides of a conjunction hold if it does, and of a disjunction neither does if it does not.
    bool isSplit = isTrue ? isa_and_nonnull<arith::AndIOp>(op) : isa_and_nonnull<arith::OrIOp>(op);
    if (isSplit)
      conditions.append(op->operand_begin(), op->operand_end());
  }
  return assumptions;
}
