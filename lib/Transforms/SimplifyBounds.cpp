// tilus-simplify-bounds: records what accesses to global memory need, and replaces integers that prove
// constant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the attributes that later passes read. What is known is the analyses' knowledge. All questions are
// asked before anything changes.
#include "Tilus/Analysis/AccessAnalysis.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tilus {
#define GEN_PASS_DEF_SIMPLIFYBOUNDSPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static void annotate(Operation *op, const AccessFacts &facts) {
  Builder builder(op->getContext());
  op->setAttr(TilusDialect::kInBoundsAttrName, builder.getDenseBoolArrayAttr(facts.inBounds));
  if (facts.nonNegative != facts.inBounds)
    op->setAttr(TilusDialect::kNonNegativeAttrName, builder.getDenseBoolArrayAttr(facts.nonNegative));
  else
    op->removeAttr(TilusDialect::kNonNegativeAttrName);
  op->setAttr(TilusDialect::kVectorAttrName, builder.getI64IntegerAttr(facts.vector));
  op->setAttr(TilusDialect::kVectorDimAttrName, builder.getI64IntegerAttr(facts.vectorDim));
  op->setAttr(TilusDialect::kMaskVectorAttrName, builder.getI64IntegerAttr(facts.maskVector));
  if (facts.fitsOffset32)
    op->setAttr(TilusDialect::kOffsetBitsAttrName, builder.getI64IntegerAttr(32));
  else
    op->removeAttr(TilusDialect::kOffsetBitsAttrName);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The ops that state assumptions. Each holds because it was assumed, so folding it would forget it.
static llvm::DenseSet<Operation *> collectStatements(KernelOp kernel) {
  llvm::DenseSet<Operation *> statements;
  SmallVector<Operation *> pending;
  kernel.getBody().walk([&](AssumeOp assume) { pending.push_back(assume); });
  while (!pending.empty()) {
    Operation *op = pending.pop_back_val();
    if (!statements.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      if (Operation *source = operand.getDefiningOp())
        pending.push_back(source);
  }
  return statements;
}

/// The operand that the result of a minimum, maximum or remainder always equals; null if none.
static Value getEqualOperand(const ScalarAnalysis &scalars, Operation *op) {
  bool isExtremum = isa<arith::MinSIOp, arith::MaxSIOp, arith::MinUIOp, arith::MaxUIOp>(op);
  if (!isExtremum && !isa<arith::RemSIOp, arith::RemUIOp>(op))
    return {};
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (!getScalarWidth(left.getType()))
    return {};
  ScalarFacts a = scalars.getFacts(left, op), b = scalars.getFacts(right, op);
  if (!isExtremum)
    return a.isNonNegative() && a.max < b.min ? left : Value();
  bool isUnsigned = isa<arith::MinUIOp, arith::MaxUIOp>(op);
  if (isUnsigned && !(a.isNonNegative() && b.isNonNegative()))
    return {};
  bool isMin = isa<arith::MinSIOp, arith::MinUIOp>(op);
  if (a.max <= b.min)
    return isMin ? left : right;
  return b.max <= a.min ? (isMin ? right : left) : Value();
}

namespace {
/// A value and what takes its place: a constant, or another value.
struct Replacement {
  OpResult value;
  std::optional<int64_t> constant;
  Value other;
};
} // namespace

static SmallVector<Replacement> findReplacements(KernelOp kernel, const ScalarAnalysis &scalars) {
  SmallVector<Replacement> replacements;
  kernel.getBody().walk([&](Operation *op) {
    bool isCandidate = op->getNumResults() == 1 && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                       getScalarWidth(op->getResult(0).getType()) &&
                       !op->hasTrait<mlir::OpTrait::ConstantLike>();
    if (!isCandidate)
      return;
    OpResult result = op->getResult(0);
    if (std::optional<int64_t> constant = scalars.getFacts(result, op).getConstant())
      replacements.push_back({result, constant, {}});
    else if (Value other = getEqualOperand(scalars, op))
      replacements.push_back({result, std::nullopt, other});
  });
  return replacements;
}

static void applyReplacements(ArrayRef<Replacement> replacements,
                              const llvm::DenseSet<Operation *> &statements) {
  llvm::DenseMap<Value, Value> placed; // of what comes earlier, so that no replaced value comes back
  for (const Replacement &replacement : replacements) {
    OpBuilder builder(replacement.value.getOwner());
    Value other = replacement.other;
    if (!other)
      other = arith::ConstantOp::create(
          builder, replacement.value.getLoc(),
          builder.getIntegerAttr(replacement.value.getType(), *replacement.constant));
    if (Value instead = placed.lookup(other))
      other = instead;
    placed[replacement.value] = other;
    Value value = replacement.value;
    value.replaceUsesWithIf(other, [&](OpOperand &use) { return !statements.contains(use.getOwner()); });
  }
  for (const Replacement &replacement : llvm::reverse(replacements))
    if (replacement.value.use_empty())
      replacement.value.getOwner()->erase();
}

static void simplify(KernelOp kernel) {
  ScalarAnalysis scalars(kernel);
  SmallVector<std::pair<Operation *, AccessFacts>> accesses;
  kernel.getBody().walk([&](Operation *op) {
    if (std::optional<GlobalAccess> access = getGlobalAccess(op))
      accesses.push_back({op, analyzeAccess(scalars, *access)});
  });
  SmallVector<Replacement> replacements = findReplacements(kernel, scalars);
  for (const auto &[op, facts] : accesses)
    annotate(op, facts);
  applyReplacements(replacements, collectStatements(kernel));
}

namespace {
class SimplifyBounds : public tilus::impl::SimplifyBoundsPassBase<SimplifyBounds> {
public:
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) { simplify(kernel); });
  }
};
} // namespace
