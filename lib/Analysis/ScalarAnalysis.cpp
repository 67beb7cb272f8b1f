// Facts on the integers of a kernel: a walk over structured control flow, with a fixpoint at loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: collect what conditions and assumptions say, and where; take what is known of the parameters; run
// over the grid region, whose results bound the block indices; run over the body. A loop is run until the
// facts of what it carries no longer change; ranges that keep growing are given up, divisors only ever
// shrink.
#include "Tilus/Analysis/ScalarAnalysis.h"
#include "Tilus/Support/IntMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilus;

/// Rounds of a loop before its growing ranges are given up: enough for a counter of pipeline stages.
static constexpr int kRoundsBeforeWidening = 10;

std::optional<unsigned> tilus::getScalarWidth(Type type) {
  if (isa<IndexType>(type))
    return 64;
  auto integer = dyn_cast<IntegerType>(type);
  return integer && integer.getWidth() >= 1 && integer.getWidth() <= 64 ? std::optional(integer.getWidth())
                                                                        : std::nullopt;
}

/// Whether the op gives the same number in a type that is at least as wide.
static bool isExtension(Operation *op) {
  if (isa_and_nonnull<arith::ExtSIOp>(op))
    return getScalarWidth(op->getOperand(0).getType()).has_value();
  if (!isa_and_nonnull<arith::IndexCastOp>(op))
    return false;
  std::optional<unsigned> from = getScalarWidth(op->getOperand(0).getType()),
                          to = getScalarWidth(op->getResult(0).getType());
  return from && to && *from <= *to;
}

Value tilus::peelExtensions(Value value) {
  while (isExtension(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

ScalarFacts ScalarAnalysis::getFacts(Value value, Operation *user) const {
  std::optional<unsigned> width = getScalarWidth(value.getType());
  auto known = facts.find(value);
  ScalarFacts result = known != facts.end() ? known->second : ScalarFacts::any(width.value_or(64));
  if (refinements.empty())
    return result;
  for (Operation *op = user; op && !isa<KernelOp>(op); op = op->getParentOp()) {
    auto found = refinements.find(op->getBlock());
    if (found == refinements.end())
      continue;
    for (const Refinement &refinement : found->second)
      if (refinement.value == value && (!refinement.after || refinement.after->isBeforeInBlock(op)))
        result = result.meet(refinement.facts);
  }
  return result;
}

/// What is surely free between `value * scale` and its bound: at least `extra`, and a multiple of what
/// divides both.
static int64_t sharpenExtra(const SymbolicBound &bound, const ScalarFacts &value, const ScalarFacts &limit) {
  std::optional<int64_t> scaled =
      checkedMul(int64_t(std::min<uint64_t>(value.divisor, INT64_MAX)), bound.scale);
  uint64_t divisor = gcd(uint64_t(scaled.value_or(bound.scale)), limit.divisor);
  if (value.divisor > uint64_t(INT64_MAX) || divisor == 0 || divisor > uint64_t(INT32_MAX))
    return bound.extra;
  std::optional<int64_t> rounded = checkedMul(ceilDiv(bound.extra, int64_t(divisor)), int64_t(divisor));
  return rounded.value_or(bound.extra);
}

bool ScalarAnalysis::isBelow(Value value, int64_t extent, Value bound, Operation *user) const {
  ScalarFacts valueFacts = getFacts(value, user), limit = getFacts(bound, user);
  std::optional<int64_t> end = checkedAdd(valueFacts.max, extent);
  if (end && *end <= limit.min)
    return true;
  auto found = bounds.find(value);
  if (found == bounds.end())
    return false;
  return llvm::any_of(found->second, [&](const SymbolicBound &symbolic) {
    bool isScaledLarger = symbolic.scale == 1 || valueFacts.isNonNegative();
    return symbolic.bound == peelExtensions(bound) && isScaledLarger &&
           sharpenExtra(symbolic, valueFacts, limit) >= extent;
  });
}

//===----------------------------------------------------------------------===//
// Parameters, assumptions and the grid
//===----------------------------------------------------------------------===//

ScalarAnalysis::ScalarAnalysis(KernelOp kernel) {
  kernel.getBody().walk([&](Operation *op) {
    if (auto assume = dyn_cast<AssumeOp>(op))
      refine(op->getBlock(), op, assume.getCondition(), /*isTrue=*/true);
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      return;
    refine(branch.thenBlock(), nullptr, branch.getCondition(), /*isTrue=*/true);
    if (branch.elseBlock())
      refine(branch.elseBlock(), nullptr, branch.getCondition(), /*isTrue=*/false);
  });
  analyzeParams(kernel);
  analyzeGrid(kernel);
  analyzeBlock(kernel.getBody().front());
}

void ScalarAnalysis::refine(Block *block, Operation *after, Value condition, bool isTrue) {
  for (const Assumption &assumption : collectAssumptions(condition, isTrue))
    refinements[block].push_back({assumption.value, assumption.facts, after});
}

/// Facts from `tilus.divisibility`, and from the assumptions at the top of the body: nothing before them can
/// end the block or be seen outside, so what they say of parameters holds wherever it matters.
void ScalarAnalysis::analyzeParams(KernelOp kernel) {
  Block &body = kernel.getBody().front();
  for (auto [index, param] : llvm::enumerate(body.getArguments()))
    if (std::optional<unsigned> width = getScalarWidth(param.getType())) {
      ScalarFacts divisible;
      divisible.divisor = kernel.getParamDivisibility(index);
      setFacts(param, ScalarFacts::any(*width).meet(divisible));
    }
  for (Operation &op : body) {
    if (auto assume = dyn_cast<AssumeOp>(op)) {
      for (const Assumption &assumption : collectAssumptions(assume.getCondition()))
        if (llvm::is_contained(body.getArguments(), assumption.value))
          setFacts(assumption.value, facts[assumption.value].meet(assumption.facts));
    } else if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0) {
      return;
    }
  }
}

void ScalarAnalysis::analyzeGrid(KernelOp kernel) {
  Block &grid = kernel.getGrid().front(), &body = kernel.getBody().front();
  for (auto [gridParam, bodyParam] : llvm::zip(grid.getArguments(), body.getArguments()))
    if (auto known = facts.find(bodyParam); known != facts.end())
      setFacts(gridParam, ScalarFacts(known->second));
  analyzeBlock(grid);
  gridFacts.fill(ScalarFacts::constant(1));
  Operation *counts = grid.getTerminator();
  for (auto [axis, count] : llvm::enumerate(counts->getOperands())) {
    gridFacts[axis] = getFacts(count, counts);
    gridValues[axis] = count;
  }
}

//===----------------------------------------------------------------------===//
// Blocks and control flow
//===----------------------------------------------------------------------===//

void ScalarAnalysis::setFacts(Value value, const ScalarFacts &known) {
  if (getScalarWidth(value.getType()))
    facts[value] = known;
}

void ScalarAnalysis::analyzeBlock(Block &block) {
  for (Operation &op : block)
    analyzeOp(&op);
}

void ScalarAnalysis::analyzeOp(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return analyzeFor(loop);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return analyzeIf(branch);
  if (op->getNumRegions() != 0)
    return analyzeUnknownRegions(op);
  if (op->getNumResults() != 1 || !getScalarWidth(op->getResult(0).getType()))
    return;
  setFacts(op->getResult(0), evaluateOp(op));
  boundResult(op);
}

/// Ops of regions whose entry is not known to the analysis: nothing is known of their arguments and results.
void ScalarAnalysis::analyzeUnknownRegions(Operation *op) {
  for (Region &region : op->getRegions())
    if (region.hasOneBlock())
      analyzeBlock(region.front());
}

void ScalarAnalysis::analyzeIf(scf::IfOp branch) {
  analyzeBlock(*branch.thenBlock());
  if (!branch.elseBlock())
    return;
  analyzeBlock(*branch.elseBlock());
  Operation *thenYield = branch.thenYield(), *elseYield = branch.elseYield();
  std::optional<int64_t> condition = getFacts(branch.getCondition(), branch).getConstant();
  for (OpResult result : branch.getResults()) {
    Value left = thenYield->getOperand(result.getResultNumber()),
          right = elseYield->getOperand(result.getResultNumber());
    ScalarFacts taken = getFacts(left, thenYield), other = getFacts(right, elseYield);
    setFacts(result, !condition ? taken.join(other) : *condition ? taken : other);
  }
}

/// Gives up the ends of a range that have moved.
static ScalarFacts widen(const ScalarFacts &before, ScalarFacts after, unsigned width) {
  ScalarFacts any = ScalarFacts::any(width);
  after.min = after.min < before.min ? any.min : after.min;
  after.max = after.max > before.max ? any.max : after.max;
  return after;
}

void ScalarAnalysis::analyzeFor(scf::ForOp loop) {
  for (auto [argument, init] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
    setFacts(argument, getFacts(init, loop));
  Operation *yield = loop.getBody()->getTerminator();
  bool hasChanged = true;
  for (int round = 0; hasChanged; ++round) {
    analyzeInduction(loop);
    analyzeBlock(*loop.getBody());
    hasChanged = false;
    for (auto [argument, next] : llvm::zip(loop.getRegionIterArgs(), yield->getOperands())) {
      std::optional<unsigned> width = getScalarWidth(argument.getType());
      if (!width)
        continue;
      ScalarFacts before = facts[argument], after = before.join(getFacts(next, yield));
      if (round >= kRoundsBeforeWidening)
        after = widen(before, after, *width);
      hasChanged |= after != before;
      setFacts(argument, after);
    }
  }
  for (auto [argument, result] : llvm::zip(loop.getRegionIterArgs(), loop.getResults()))
    if (getScalarWidth(argument.getType()))
      setFacts(result, ScalarFacts(facts[argument]));
}

void ScalarAnalysis::analyzeInduction(scf::ForOp loop) {
  Value induction = loop.getInductionVar();
  ScalarFacts low = getFacts(loop.getLowerBound(), loop), high = getFacts(loop.getUpperBound(), loop),
              step = getFacts(loop.getStep(), loop);
  bounds.erase(induction);
  if (loop.getUnsignedCmp())
    return setFacts(induction, ScalarFacts::any(*getScalarWidth(induction.getType())));
  // While the body runs, the bound is above the lower bound, so it is no lowest number.
  ScalarFacts multiple;
  multiple.divisor = gcd(low.divisor, step.divisor);
  int64_t last = high.max == INT64_MIN ? low.min : std::max(low.min, high.max - 1);
  ScalarFacts range{low.min, last, 1};
  setFacts(induction, range.meet(multiple));
  addQuotientBound(induction, loop.getUpperBound(), loop);
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static std::optional<ScalarBinary> getBinary(Operation *op) {
  using B = ScalarBinary;
  return llvm::StringSwitch<std::optional<B>>(op->getName().getStringRef())
      .Case("arith.addi", B::Add)
      .Case("arith.subi", B::Sub)
      .Case("arith.muli", B::Mul)
      .Case("arith.divsi", B::DivSigned)
      .Case("arith.divui", B::DivUnsigned)
      .Case("arith.floordivsi", B::FloorDivSigned)
      .Case("arith.ceildivsi", B::CeilDivSigned)
      .Case("arith.ceildivui", B::CeilDivUnsigned)
      .Case("arith.remsi", B::RemSigned)
      .Case("arith.remui", B::RemUnsigned)
      .Case("arith.minsi", B::MinSigned)
      .Case("arith.maxsi", B::MaxSigned)
      .Case("arith.minui", B::MinUnsigned)
      .Case("arith.maxui", B::MaxUnsigned)
      .Case("arith.andi", B::And)
      .Case("arith.ori", B::Or)
      .Case("arith.xori", B::Xor)
      .Case("arith.shli", B::ShiftLeft)
      .Case("arith.shrsi", B::ShiftRightSigned)
      .Case("arith.shrui", B::ShiftRightUnsigned)
      .Default(std::nullopt);
}

/// Facts on a cast between integers and index.
static ScalarFacts evaluateCast(Operation *op, const ScalarFacts &source, unsigned from, unsigned to) {
  if (to < from)
    return truncate(source, to);
  return isa<arith::ExtUIOp, arith::IndexCastUIOp>(op) && to > from ? zeroExtend(source, from) : source;
}

/// Facts on an op that states its range itself and has no operands, such as a block index.
static std::optional<ScalarFacts> getStatedRange(Operation *op) {
  auto stated = dyn_cast<InferIntRangeInterface>(op);
  if (!stated || op->getNumOperands() != 0)
    return std::nullopt;
  std::optional<ScalarFacts> result;
  stated.inferResultRanges({}, [&](Value, const ConstantIntRanges &range) {
    if (range.smin().getBitWidth() <= 64 && range.smin().getBitWidth() >= 1)
      result = ScalarFacts::range(range.smin().getSExtValue(), range.smax().getSExtValue());
  });
  return result;
}

ScalarFacts ScalarAnalysis::evaluateOp(Operation *op) const {
  unsigned width = *getScalarWidth(op->getResult(0).getType());
  auto operand = [&](unsigned index) { return getFacts(op->getOperand(index), op); };
  if (std::optional<ScalarBinary> binary = getBinary(op)) {
    auto flags = dyn_cast<arith::ArithIntegerOverflowFlagsInterface>(op);
    return evaluate(*binary, operand(0), operand(1), width, flags && flags.hasNoSignedWrap());
  }
  if (isa<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::IndexCastOp, arith::IndexCastUIOp>(op)) {
    std::optional<unsigned> from = getScalarWidth(op->getOperand(0).getType());
    return from ? evaluateCast(op, operand(0), *from, width) : ScalarFacts::any(width);
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    std::optional<int64_t> condition = operand(0).getConstant();
    return !condition ? operand(1).join(operand(2)) : operand(*condition ? 1 : 2);
  }
  if (auto cmp = dyn_cast<arith::CmpIOp>(op); cmp && getScalarWidth(cmp.getLhs().getType())) {
    std::optional<bool> holds = compare(ScalarCompare(cmp.getPredicate()), operand(0), operand(1));
    return holds ? ScalarFacts::constant(*holds ? -1 : 0) : ScalarFacts::any(1);
  }
  APInt constant;
  if (matchPattern(op, m_ConstantInt(&constant)))
    return ScalarFacts::constant(constant.getSExtValue());
  if (auto block = dyn_cast<BlockIdOp>(op)) {
    int64_t last = std::max<int64_t>(gridFacts[int(block.getAxis())].max, 1) - 1;
    return getStatedRange(op)->meet(ScalarFacts::range(0, last));
  }
  if (auto count = dyn_cast<GridDimOp>(op))
    return getStatedRange(op)->meet(gridFacts[int(count.getAxis())]);
  return getStatedRange(op).value_or(ScalarFacts::any(width));
}

//===----------------------------------------------------------------------===//
// Symbolic bounds
//===----------------------------------------------------------------------===//

/// Records `value * scale + extra <= bound`, and what it says of the value's range.
void ScalarAnalysis::addBound(Value value, Value bound, int64_t scale, int64_t extra) {
  bound = peelExtensions(bound);
  if (auto param = dyn_cast<BlockArgument>(bound))
    if (auto kernel = dyn_cast<KernelOp>(param.getOwner()->getParentOp()))
      bound = kernel.getBody().getArgument(param.getArgNumber());
  ScalarFacts limit = ScalarFacts::any(*getScalarWidth(bound.getType()));
  if (auto known = facts.find(bound); known != facts.end())
    limit = known->second;
  ScalarFacts &own = facts[value];
  SymbolicBound symbolic{bound, scale, extra};
  symbolic.extra = sharpenExtra(symbolic, own, limit);
  bounds[value].push_back(symbolic);
  std::optional<int64_t> room = checkedSub(limit.max, symbolic.extra);
  if (room && floorDiv(*room, scale) >= own.min)
    own = own.meet(ScalarFacts::range(own.min, floorDiv(*room, scale)));
}

/// Records `value < bound`, and where the bound is a quotient, what that says of the numerator.
void ScalarAnalysis::addQuotientBound(Value value, Value bound, Operation *user) {
  addBound(value, bound, 1, 1);
  Operation *division = peelExtensions(bound).getDefiningOp();
  if (!isa_and_nonnull<arith::CeilDivSIOp, arith::DivSIOp, arith::FloorDivSIOp, arith::ShRSIOp>(division))
    return;
  Value numerator = division->getOperand(0);
  std::optional<int64_t> divisor = getFacts(division->getOperand(1), division).getConstant();
  if (divisor && isa<arith::ShRSIOp>(division))
    divisor = *divisor >= 0 && *divisor < 31 ? std::optional(int64_t(1) << *divisor) : std::nullopt;
  if (!divisor || *divisor < 1)
    return;
  // value < ceil(n / d) is value * d < n, and value < floor(n / d) is value * d + d <= n. A quotient rounded
  // towards zero is either; below one of a positive value it is the floor.
  bool isFloor = isa<arith::FloorDivSIOp, arith::ShRSIOp>(division) ||
                 (isa<arith::DivSIOp>(division) && facts[value].isNonNegative());
  addBound(value, numerator, *divisor, isFloor ? *divisor : 1);
}

/// Whether `value * factor + [low, high]` is the same number without bounds on the type.
static bool isExact(const ScalarFacts &value, int64_t factor, const ScalarFacts &addend, unsigned width) {
  ScalarFacts any = ScalarFacts::any(width);
  __int128 min = __int128(value.min) * factor + addend.min, max = __int128(value.max) * factor + addend.max;
  return min >= any.min && max <= any.max;
}

void ScalarAnalysis::boundSum(Operation *op, Value value, Value addend) {
  Value result = op->getResult(0);
  auto known = bounds.find(value);
  ScalarFacts own = getFacts(value, op), other = getFacts(addend, op);
  if (known == bounds.end() || !isExact(own, 1, other, *getScalarWidth(result.getType())))
    return;
  for (const SymbolicBound &bound : SmallVector<SymbolicBound, 1>(known->second)) {
    std::optional<int64_t> scaled = checkedMul(other.max, bound.scale);
    std::optional<int64_t> extra = scaled ? checkedSub(bound.extra, *scaled) : std::nullopt;
    if (extra)
      addBound(result, bound.bound, bound.scale, *extra);
  }
}

void ScalarAnalysis::boundProduct(Operation *op, Value value, int64_t factor) {
  Value result = op->getResult(0);
  auto known = bounds.find(value);
  bool fits =
      isExact(getFacts(value, op), factor, ScalarFacts::constant(0), *getScalarWidth(result.getType()));
  if (known == bounds.end() || factor < 1 || !fits)
    return;
  for (const SymbolicBound &bound : SmallVector<SymbolicBound, 1>(known->second))
    if (bound.scale % factor == 0)
      addBound(result, bound.bound, bound.scale / factor, bound.extra);
}

/// Carries bounds on from an operand to the result.
void ScalarAnalysis::boundResult(Operation *op) {
  Value result = op->getResult(0);
  bounds.erase(result);
  if (auto block = dyn_cast<BlockIdOp>(op)) {
    if (Value count = gridValues[int(block.getAxis())])
      addQuotientBound(result, count, op);
  } else if (isExtension(op)) {
    if (auto known = bounds.find(op->getOperand(0)); known != bounds.end())
      bounds[result] = SmallVector<SymbolicBound, 1>(known->second);
  } else if (isa<arith::AddIOp>(op)) {
    boundSum(op, op->getOperand(0), op->getOperand(1));
    boundSum(op, op->getOperand(1), op->getOperand(0));
  } else if (isa<arith::MulIOp>(op)) {
    for (unsigned side : {0, 1})
      if (std::optional<int64_t> factor = getFacts(op->getOperand(1 - side), op).getConstant())
        boundProduct(op, op->getOperand(side), *factor);
  } else if (isa<arith::ShLIOp>(op)) {
    std::optional<int64_t> shift = getFacts(op->getOperand(1), op).getConstant();
    if (shift && *shift >= 0 && *shift < 31)
      boundProduct(op, op->getOperand(0), int64_t(1) << *shift);
  }
}
