// How ops move and combine tiles across the threads of their group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilePlans.h"
#include "Tilus/IR/TilusOps.h"

using namespace mlir;
using namespace tilus;

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
