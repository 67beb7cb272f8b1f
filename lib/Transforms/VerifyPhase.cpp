// tilus-verify-phase: checks what a phase of the pipeline promises to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layouts/TileRules.h"
#include "Tilus/Transforms/Passes.h"

namespace tilus {
#define GEN_PASS_DEF_VERIFYPHASEPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Checks that a tile or a shared tile has a layout, and a tile one of the threads that hold it.
static LogicalResult verifyValueLayout(Value value) {
  if (auto shared = dyn_cast<SharedType>(value.getType())) {
    if (shared.getLayout())
      return success();
    return emitError(value.getLoc()) << "expected a shared tile with a layout, but got " << shared;
  }
  if (!isTile(value))
    return success();
  RegisterLayoutAttr layout = getTileLayout(value.getType());
  if (!layout)
    return emitError(value.getLoc()) << "expected a tile with a layout, but got " << value.getType();
  int64_t threads = getHolderThreads(value), actual = layout.getLayout().getNumThreads();
  if (threads == actual)
    return success();
  return emitError(value.getLoc()) << "expected a layout of the " << threads
                                   << " threads that hold the tile, but got one of " << actual;
}

/// Checks that all tiles of the op have one layout.
static LogicalResult verifySameLayouts(Operation *op) {
  RegisterLayoutAttr first;
  for (ValueRange values : {ValueRange(op->getOperands()), ValueRange(op->getResults())})
    for (Value value : values) {
      if (!isTile(value))
        continue;
      RegisterLayoutAttr layout = getTileLayout(value.getType());
      first = first ? first : layout;
      if (first != layout)
        return op->emitOpError("expected tiles of one layout, but got ") << first << " and " << layout;
    }
  return success();
}

static LogicalResult verifyLayouts(Operation *op) {
  for (Value result : op->getResults())
    if (failed(verifyValueLayout(result)))
      return failure();
  for (Region &region : op->getRegions())
    for (Value argument : region.getArguments())
      if (failed(verifyValueLayout(argument)))
        return failure();
  if (hasSameLayouts(op))
    return verifySameLayouts(op);
  if (auto rule = dyn_cast<LayoutOpInterface>(op))
    return rule.verifyLayouts();
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
/// A phase by its name, and the check of each op in kernel bodies.
struct Phase {
  StringLiteral name;
  LogicalResult (*verify)(Operation *);
};
constexpr Phase kPhases[] = {{"layouts", verifyLayouts}};

class VerifyPhase : public tilus::impl::VerifyPhasePassBase<VerifyPhase> {
public:
  using VerifyPhasePassBase::VerifyPhasePassBase;

  LogicalResult initialize(MLIRContext *context) override {
    checked = llvm::find_if(kPhases, [&](const Phase &candidate) { return candidate.name == phase; });
    if (checked != std::end(kPhases))
      return success();
    return emitError(UnknownLoc::get(context))
           << "expected 'layouts', 'atoms' or 'memory' as 'phase', but got '" << phase << "'";
  }

  void runOnOperation() override {
    // A later phase keeps what the earlier ones promise.
    getOperation()->walk([&](KernelOp kernel) {
      kernel.getBody().walk([&](Operation *op) {
        for (const Phase *each = std::begin(kPhases); each <= checked; ++each)
          if (failed(each->verify(op)))
            return signalPassFailure();
      });
    });
  }

private:
  const Phase *checked = nullptr;
};
} // namespace
