// tilus-verify-phase: checks what a phase of the pipeline promises to the next.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AtomRules.h"
#include "Layouts/TileRules.h"
#include "Tilus/Analysis/SharedMemoryPlan.h"
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
// Atoms
//===----------------------------------------------------------------------===//

static LogicalResult verifyMma(MmaOp op) {
  if (!op.getAtom())
    return op.emitOpError("expected an atom, but got none");
  const MmaAtom *atom = op.getAtom()->getAtom();
  if (!atom || atom == findMmaAtom(op))
    return success();
  return op.emitOpError("expected an atom whose fragments the layouts are made of, but got '")
         << atom->name << "'";
}

static LogicalResult verifyAccess(Operation *op, Value tile, Value shared, SharedAccess access) {
  if (canUseAccess(op, tile, shared, access))
    return success();
  return op->emitOpError("expected an instruction that the layouts and the target allow, but got '")
         << stringifySharedAccess(access) << "'";
}

static LogicalResult verifyAtoms(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return verifyMma(mma);
  if (auto load = dyn_cast<LoadSharedOp>(op))
    return verifyAccess(op, load.getResult(), load.getSource(), load.getAccess());
  if (auto store = dyn_cast<StoreSharedOp>(op))
    return verifyAccess(op, store.getValue(), store.getDest(), store.getAccess());
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The place of an allocation or of an op's scratch.
static std::optional<int64_t> getPlace(Operation *op) {
  if (auto allocation = dyn_cast<AllocSharedOp>(op))
    return allocation.getOffset();
  auto offset = op->getAttrOfType<IntegerAttr>(TilusDialect::kScratchOffsetAttrName);
  return offset ? std::optional(offset.getInt()) : std::nullopt;
}

static LogicalResult verifyPlace(const SharedBuffer &buffer, int64_t kernelBytes) {
  std::optional<int64_t> place = getPlace(buffer.op);
  if (!place)
    return buffer.op->emitOpError("expected a place in shared memory, but got none");
  if (*place % buffer.alignment)
    return buffer.op->emitOpError("expected a place in shared memory aligned to ")
           << buffer.alignment << " bytes, but got " << *place;
  if (buffer.isUsed() && *place + buffer.bytes > kernelBytes)
    return buffer.op->emitOpError("expected a place within the ")
           << kernelBytes << " bytes of the kernel, but got " << *place << " to " << *place + buffer.bytes;
  return success();
}

/// Checks that no two buffers that live at the same time overlap.
static LogicalResult verifyApart(ArrayRef<SharedBuffer> buffers) {
  for (const SharedBuffer &buffer : buffers)
    for (const SharedBuffer &other : ArrayRef(buffers.begin(), &buffer)) {
      ByteRange range{*getPlace(buffer.op), *getPlace(buffer.op) + buffer.bytes},
          otherRange{*getPlace(other.op), *getPlace(other.op) + other.bytes};
      bool liveTogether =
          buffer.isUsed() && other.isUsed() && buffer.begin <= other.end && other.begin <= buffer.end;
      if (!liveTogether || !range.overlaps(otherRange))
        continue;
      InFlightDiagnostic error = buffer.op->emitOpError("expected bytes of its own, but got ")
                                 << range.begin << " to " << range.end;
      error.attachNote(other.op->getLoc())
          << "this op uses " << otherRange.begin << " to " << otherRange.end << " at the same time";
      return error;
    }
  return success();
}

static LogicalResult verifyMemory(KernelOp kernel) {
  auto bytes = kernel->getAttrOfType<IntegerAttr>(TilusDialect::kSharedBytesAttrName);
  if (!bytes)
    return kernel.emitOpError("expected '") << TilusDialect::kSharedBytesAttrName << "', but got none";
  SharedMemoryPlan plan = planSharedMemory(kernel);
  for (const SharedBuffer &buffer : plan.buffers)
    if (failed(verifyPlace(buffer, bytes.getInt())))
      return failure();
  return verifyApart(plan.buffers);
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
/// A phase by its name, and its checks: of each op in a kernel's body, or of the kernel.
struct Phase {
  StringLiteral name;
  LogicalResult (*verifyOp)(Operation *);
  LogicalResult (*verifyKernel)(KernelOp);
};
constexpr Phase kPhases[] = {
    {"layouts", verifyLayouts, nullptr}, {"atoms", verifyAtoms, nullptr}, {"memory", nullptr, verifyMemory}};

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
    getOperation()->walk([&](KernelOp kernel) {
      // A later phase keeps what the earlier ones promise.
      for (const Phase *each = std::begin(kPhases); each <= checked; ++each)
        if (failed(verify(kernel, *each)))
          return signalPassFailure();
    });
  }

private:
  static LogicalResult verify(KernelOp kernel, const Phase &phase) {
    if (phase.verifyKernel)
      return phase.verifyKernel(kernel);
    WalkResult result = kernel.getBody().walk([&](Operation *op) {
      return failed(phase.verifyOp(op)) ? WalkResult::interrupt() : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  const Phase *checked = nullptr;
};
} // namespace
