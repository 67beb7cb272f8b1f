// Plans of ops that move or combine tiles across threads, and the shared memory that ops need while they run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilePlans.h"
#include "Tilus/IR/TilusOps.h"

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int64_t tilus::getPlacedThreadBegin(Operation *op) {
  int64_t begin = 0;
  for (auto group = op->getParentOfType<ThreadGroupOp>(); group;
       group = group->getParentOfType<ThreadGroupOp>())
    begin += group.getBegin().value_or(0);
  return begin;
}

RegisterLayout tilus::getMovedLayout(RankedTensorType tile, RankedTensorType other) {
  const RegisterLayout &layout = getTileLayout(tile).getLayout();
  if (tile.getShape() == other.getShape())
    return layout;
  return *layout.reshape({layout.getSize()});
}

std::optional<ConversionPlan> tilus::planTileMove(RankedTensorType source, RankedTensorType result,
                                                  bool hasWarps) {
  RegisterLayout from = getMovedLayout(source, result), to = getMovedLayout(result, source);
  int64_t bits = getElementBits(source.getElementType());
  std::optional<ConversionPlan> plan = planConversion(from, to, bits);
  if (plan && plan->kind == ConversionKind::Shuffle && !hasWarps)
    return planSharedMemory(from, to, bits);
  return plan;
}

int64_t tilus::getCombineBytes(Type element) { return getElementBits(element) > 32 ? 8 : 4; }

/// Whether the threads that execute the op can shuffle.
static bool hasWarps(Operation *op) { return formsWarps(getPlacedThreadBegin(op), getNumThreads(op)); }

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Scratch of a move between two tiles.
static int64_t getMoveScratch(Operation *op, Value source, Value result) {
  if (!getTileLayout(source.getType()) || !getTileLayout(result.getType()))
    return 0;
  std::optional<ConversionPlan> plan = planTileMove(cast<RankedTensorType>(source.getType()),
                                                    cast<RankedTensorType>(result.getType()), hasWarps(op));
  return plan && plan->staging ? plan->staging->sizeBytes : 0;
}

int64_t ConvertLayoutOp::getScratchBytes() { return getMoveScratch(*this, getSource(), getResult()); }
int64_t ReshapeOp::getScratchBytes() { return getMoveScratch(*this, getSource(), getResult()); }

int64_t ReduceOp::getScratchBytes() {
  RegisterLayoutAttr layout = getTileLayout(getSource().getType());
  if (!layout)
    return 0;
  ReducePlan plan = planReduce(layout.getLayout(), getDim(), hasWarps(*this));
  return plan.getScratchSize() * getCombineBytes(getElementTypeOrSelf(getSource().getType()));
}

int64_t ScanOp::getScratchBytes() {
  RegisterLayoutAttr layout = getTileLayout(getSource().getType());
  if (!layout)
    return 0;
  ScanPlan plan = planScan(layout.getLayout(), getDim(), hasWarps(*this));
  return plan.scratchSize * getCombineBytes(getElementTypeOrSelf(getSource().getType()));
}

/// Scratch of values that one of the replicas of an element has read.
static int64_t getReplicaScratch(Operation *op, Value result) {
  RegisterLayoutAttr layout = result ? getTileLayout(result.getType()) : RegisterLayoutAttr();
  if (!layout)
    return 0;
  ReplicaPlan plan = planReplicas(layout.getLayout(), hasWarps(op));
  int64_t values = plan.needsScratch() ? plan.places.count * layout.getLayout().getNumLocals() : 0;
  return values * getCombineBytes(getElementTypeOrSelf(result.getType()));
}

int64_t AtomicOp::getScratchBytes() { return getReplicaScratch(*this, getResult()); }
int64_t AtomicScatterOp::getScratchBytes() { return getReplicaScratch(*this, getResult()); }

int64_t MmaOp::getScratchBytes() {
  if (!getAtom() || getAtom()->getAtom())
    return 0;
  // Scalar instructions read both operands from scratch.
  int64_t bytes = 0;
  for (Value operand : {getA(), getB()}) {
    auto type = cast<RankedTensorType>(operand.getType());
    bytes += llvm::alignTo(type.getNumElements() * getElementBits(type.getElementType()) / 8, 16);
  }
  return bytes;
}
