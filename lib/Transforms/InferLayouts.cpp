// tilus-infer-layouts: gives every tile and every shared tile of a kernel a layout.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phases: preferred layouts (LayoutHints), the layouts themselves with conversions where they differ
// (LayoutAssignment), layouts of shared memory from its accesses (SharedLayoutChoice). Total: only what the
// user pinned can be wrong.
#include "Layouts/LayoutAssignment.h"
#include "Layouts/SharedLayoutChoice.h"
#include "Layouts/TileRules.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"

namespace tilus {
#define GEN_PASS_DEF_INFERLAYOUTSPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// Checks that a pinned layout has the threads of the group that holds the tile.
static LogicalResult verifyPinned(Value tile) {
  RegisterLayoutAttr layout = isTile(tile) ? getTileLayout(tile.getType()) : RegisterLayoutAttr();
  if (!layout)
    return success();
  int64_t threads = getHolderThreads(tile), actual = layout.getLayout().getNumThreads();
  if (threads == actual)
    return success();
  return emitError(tile.getLoc()) << "expected a layout of the " << threads
                                  << " threads that hold the tile, but got one of " << actual;
}

static LogicalResult verifyPinned(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([](Operation *op) {
    for (Value value : op->getResults())
      if (failed(verifyPinned(value)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (failed(verifyPinned(argument)))
          return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// Makes a replicable tile anew, with all that it follows from.
static Value replicate(OpBuilder &builder, Value tile, IRMapping &made) {
  if (Value known = made.lookupOrNull(tile))
    return known;
  Operation *op = tile.getDefiningOp();
  for (Value operand : op->getOperands())
    if (isTile(operand))
      replicate(builder, operand, made);
  return builder.clone(*op, made)->getResult(cast<OpResult>(tile).getResultNumber());
}

/// Gives each thread group tiles of its own where it uses those of the group around it.
static void separateGroups(KernelOp kernel) {
  kernel.getBody().walk<WalkOrder::PreOrder>([](ThreadGroupOp group) {
    OpBuilder builder = OpBuilder::atBlockBegin(&group.getBody().front());
    IRMapping made;
    group.getBody().walk([&](Operation *op) {
      for (OpOperand &operand : op->getOpOperands())
        if (isTile(operand.get()) && !group.getBody().isAncestor(operand.get().getParentRegion()))
          operand.set(replicate(builder, operand.get(), made));
    });
  });
}

namespace {
class InferLayouts : public tilus::impl::InferLayoutsPassBase<InferLayouts> {
public:
  using InferLayoutsPassBase::InferLayoutsPassBase;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return failed(runOnKernel(kernel)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult runOnKernel(KernelOp kernel) {
    separateGroups(kernel);
    if (failed(verifyPinned(kernel)))
      return failure();
    CarriedTiles carried(kernel, isTile);
    LayoutHints hints(kernel, carried, remarks);
    LayoutCosts costs;
    LayoutAssignment(carried, hints, costs, remarks).run(kernel);
    return chooseSharedLayouts(kernel, remarks);
  }
};
} // namespace
