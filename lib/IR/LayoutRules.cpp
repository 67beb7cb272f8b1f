// What the layout rules and the scratch of ops in several groups share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutRules.h"
#include "Tilus/IR/TilePlans.h"

using namespace mlir;
using namespace tilus;

ArrayRef<int64_t> tilus::getTileShape(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

std::optional<RegisterLayout> tilus::findLayout(Value tile) {
  RegisterLayoutAttr layout =
      isTileType(tile.getType()) ? getTileLayout(tile.getType()) : RegisterLayoutAttr();
  return layout ? std::optional(layout.getLayout()) : std::nullopt;
}

void tilus::proposeIf(LayoutQuery &query, Value tile, const std::optional<RegisterLayout> &layout) {
  if (layout)
    query.propose(tile, *layout);
}

LogicalResult tilus::expectLayout(Operation *op, StringRef what, Value tile,
                                  const std::optional<RegisterLayout> &expected) {
  std::optional<RegisterLayout> actual = findLayout(tile);
  if (!actual || (expected && *expected == *actual))
    return success();
  InFlightDiagnostic error = op->emitOpError("expected ") << what << " with ";
  if (expected)
    error << "the layout " << RegisterLayoutAttr::get(op->getContext(), *expected);
  else
    error << "a layout that follows from the other tiles";
  return error << ", but got " << getTileLayout(tile.getType());
}

bool tilus::hasWarps(Operation *op) { return formsWarps(getPlacedThreadBegin(op), getNumThreads(op)); }
