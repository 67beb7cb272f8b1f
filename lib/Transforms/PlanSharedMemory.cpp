// tilus-plan-shared-memory: writes the plan of shared memory into the IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the attributes and the check against the target's limit; the plan itself is Analysis/SharedMemoryPlan.
#include "Tilus/Analysis/SharedMemoryPlan.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/IR/Builders.h"

namespace tilus {
#define GEN_PASS_DEF_PLANSHAREDMEMORYPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// Checks the plan against the most that a block may have, with a note for each buffer.
static LogicalResult verifyLimit(KernelOp kernel, const SharedMemoryPlan &plan) {
  TargetAttr target = getTarget(kernel);
  if (!target || plan.bytes <= target.getInfo()->maxSharedMemoryPerBlock)
    return success();
  InFlightDiagnostic error = kernel.emitOpError("expected at most ")
                             << target.getInfo()->maxSharedMemoryPerBlock << " bytes of shared memory on "
                             << target.getChip() << ", but got " << plan.bytes;
  for (const SharedBuffer &buffer : plan.buffers)
    if (buffer.isUsed())
      error.attachNote(buffer.op->getLoc())
          << (isa<AllocSharedOp>(buffer.op) ? "this tile takes " : "this op's scratch takes ") << buffer.bytes
          << " bytes at " << buffer.offset;
  return error;
}

/// Checks the places that allocations ask for: they are aligned, and tiles that live together lie apart.
static LogicalResult verifyPinned(const SharedMemoryPlan &plan) {
  for (const SharedBuffer &buffer : plan.buffers) {
    if (!buffer.isPinned)
      continue;
    if (buffer.offset % buffer.alignment)
      return buffer.op->emitOpError("expected an offset that ")
             << buffer.alignment << " divides, but got " << buffer.offset;
    for (const SharedBuffer &other : plan.buffers) {
      bool isApart =
          buffer.offset + buffer.bytes <= other.offset || other.offset + other.bytes <= buffer.offset;
      if (&other == &buffer)
        break;
      if (!other.isPinned || isApart || !liveTogether(buffer, other))
        continue;
      InFlightDiagnostic error =
          buffer.op->emitOpError(
              "expected a place apart from those of tiles that live at the same time, but got bytes ")
          << buffer.offset << " to " << buffer.offset + buffer.bytes;
      error.attachNote(other.op->getLoc())
          << "this tile has bytes " << other.offset << " to " << other.offset + other.bytes;
      return error;
    }
  }
  return success();
}

namespace {
class PlanSharedMemory : public tilus::impl::PlanSharedMemoryPassBase<PlanSharedMemory> {
public:
  using PlanSharedMemoryPassBase::PlanSharedMemoryPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](KernelOp kernel) {
      if (failed(runOnKernel(kernel)))
        signalPassFailure();
    });
  }

private:
  LogicalResult runOnKernel(KernelOp kernel) {
    SharedMemoryPlan plan = planSharedMemory(kernel);
    if (failed(verifyPinned(plan)) || failed(verifyLimit(kernel, plan)))
      return failure();
    Builder builder(kernel.getContext());
    kernel.getBody().walk([](Operation *op) { op->removeAttr(TilusDialect::kScratchOffsetAttrName); });
    for (const SharedBuffer &buffer : plan.buffers) {
      if (auto allocation = dyn_cast<AllocSharedOp>(buffer.op))
        allocation.setOffset(buffer.offset);
      else
        buffer.op->setAttr(TilusDialect::kScratchOffsetAttrName, builder.getI64IntegerAttr(buffer.offset));
      if (remarks)
        buffer.op->emitRemark("takes ") << buffer.bytes << " bytes of shared memory at " << buffer.offset;
    }
    kernel->setAttr(TilusDialect::kSharedBytesAttrName, builder.getI64IntegerAttr(plan.bytes));
    return success();
  }
};
} // namespace
