// Whether the layouts of a fully laid out op agree with its layout rule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusOps.h"

using namespace mlir;
using namespace tilus;

static ArrayRef<int64_t> shapeOf(Value tile) { return cast<RankedTensorType>(tile.getType()).getShape(); }

/// The layout of a tile; those of an op without a layout are not compared.
static std::optional<RegisterLayout> layoutOf(Value tile) {
  RegisterLayoutAttr layout =
      isTileType(tile.getType()) ? getTileLayout(tile.getType()) : RegisterLayoutAttr();
  return layout ? std::optional(layout.getLayout()) : std::nullopt;
}

/// Reports that `tile` lacks the layout that follows from the other tiles of the op.
static LogicalResult expectLayout(Operation *op, StringRef what, Value tile,
                                  const std::optional<RegisterLayout> &expected) {
  std::optional<RegisterLayout> actual = layoutOf(tile);
  if (!actual || (expected && *expected == *actual))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected ") << what << " with ";
  if (expected)
    error << "the layout " << RegisterLayoutAttr::get(op->getContext(), *expected);
  else
    error << "a layout that follows from the other tiles";
  return error << ", but got " << getTileLayout(tile.getType());
}

LogicalResult BroadcastOp::verifyLayouts() {
  auto result = layoutOf(getResult());
  return result && isTileType(getSource().getType())
             ? expectLayout(*this, "a source", getSource(), result->reduceTo(shapeOf(getSource())))
             : success();
}

LogicalResult TransposeOp::verifyLayouts() {
  auto source = layoutOf(getSource());
  return source ? expectLayout(*this, "a result", getResult(), source->permute(getPermutation())) : success();
}

LogicalResult ReduceOp::verifyLayouts() {
  auto source = layoutOf(getSource());
  return source
             ? expectLayout(*this, "a result", getResult(), source->reduce({int64_t(getDim())}, getKeepDim()))
             : success();
}

LogicalResult ExtractSliceOp::verifyLayouts() {
  auto source = layoutOf(getSource());
  return source ? expectLayout(*this, "a result", getResult(), source->slice(getDims())) : success();
}

LogicalResult InsertSliceOp::verifyLayouts() {
  auto dest = layoutOf(getDest());
  return dest ? expectLayout(*this, "a source", getSource(), dest->slice(getDims())) : success();
}

LogicalResult RandomOp::verifyLayouts() {
  auto offset = layoutOf(getOffset());
  return offset ? expectLayout(*this, "a result", getResult(), RegisterLayout::local({4}).concat(*offset))
                : success();
}
