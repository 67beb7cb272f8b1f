// tilus-insert-fences: barriers where accesses to shared memory meet that nothing orders.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A forward data-flow over structured control flow, one level for each thread group: the threads of a level
// are ordered by the barriers of that level alone. A barrier is inserted right before the op that needs it;
// what a nested group does counts for the level around it as done without any barrier.
#include "SharedHazards.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilus {
#define GEN_PASS_DEF_INSERTFENCESPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

namespace {
class FenceInserter {
public:
  FenceInserter(KernelOp kernel, bool emitRemarks) : accesses(kernel), emitRemarks(emitRemarks) {}

  /// Follows a region from its entry; returns the state at its end.
  SharedAccessState visitRegion(Region &region, SharedAccessState state);

private:
  void visit(Operation *op, SharedAccessState &state);
  void visitLoop(Operation *op, SharedAccessState &state);
  /// The state behind a loop and whether the state at its entry has grown by one trip.
  using Trip = std::pair<SharedAccessState, bool>;
  /// Follows a loop until the back edge adds nothing to the state at the entry.
  void settle(SharedAccessState &state, function_ref<Trip(SharedAccessState &entry)> visitTrip);
  void visitGroup(ThreadGroupOp group, SharedAccessState &state);
  /// Inserts a barrier before `point` if one of the accesses needs it.
  void order(Operation *point, ArrayRef<SharedAccessRecord> wanted, SharedAccessState &state);

  SharedAccesses accesses;
  bool emitRemarks;
  int64_t numInserted = 0;
};
} // namespace

SharedAccessState FenceInserter::visitRegion(Region &region, SharedAccessState state) {
  for (Operation &op : llvm::make_early_inc_range(region.getOps()))
    visit(&op, state);
  return state;
}

void FenceInserter::order(Operation *point, ArrayRef<SharedAccessRecord> wanted, SharedAccessState &state) {
  for (const SharedAccessRecord &access : wanted) {
    const SharedAccessRecord *earlier = state.findHazard(access);
    if (!earlier)
      continue;
    if (emitRemarks) {
      auto remark = access.op->emitRemark("needs a barrier before it, which is inserted");
      remark.attachNote(earlier->op->getLoc()) << "for the shared memory that this op accesses";
    }
    OpBuilder builder(point);
    SyncOp::create(builder, access.op->getLoc());
    ++numInserted;
    state.synchronize();
  }
}

void FenceInserter::visit(Operation *op, SharedAccessState &state) {
  if (isa<SyncOp>(op))
    return state.synchronize();
  if (isa<CommitGroupOp>(op))
    return state.commitGroup();
  if (auto wait = dyn_cast<WaitGroupOp>(op))
    return state.waitGroup(wait.getPending());
  if (isa<WaitAllOp>(op))
    return state.waitAll();
  if (auto group = dyn_cast<ThreadGroupOp>(op))
    return visitGroup(group, state);
  if (isa<LoopLikeOpInterface>(op))
    return visitLoop(op, state);
  if (op->getNumRegions() == 0) {
    SmallVector<SharedAccessRecord, 2> own = accesses.get(op);
    order(op, own, state);
    for (const SharedAccessRecord &access : own)
      state.add(access);
    return;
  }
  // A branch: one of the regions, or none where one is missing.
  SharedAccessState merged;
  bool mayBeSkipped = op->getNumRegions() == 1;
  for (Region &region : op->getRegions()) {
    mayBeSkipped |= region.empty();
    merged.join(visitRegion(region, state));
  }
  if (mayBeSkipped)
    merged.join(state);
  state = merged;
}

void FenceInserter::visitLoop(Operation *op, SharedAccessState &state) {
  auto loop = cast<LoopLikeOpInterface>(op);
  state.enterLoop(loop);
  auto close = [&](SharedAccessState &entry, SharedAccessState end) {
    end.beginTrip(loop);
    return entry.join(end);
  };
  if (auto conditional = dyn_cast<scf::WhileOp>(op)) {
    settle(state, [&](SharedAccessState &entry) {
      SharedAccessState exit = visitRegion(conditional.getBefore(), entry);
      bool hasGrown = close(entry, visitRegion(conditional.getAfter(), exit));
      return std::pair(exit, hasGrown);
    });
  } else {
    settle(state, [&](SharedAccessState &entry) {
      bool hasGrown = false;
      for (Region &region : op->getRegions())
        hasGrown |= close(entry, visitRegion(region, entry));
      return std::pair(entry, hasGrown);
    });
  }
  state.leaveLoop(loop);
}

void FenceInserter::settle(SharedAccessState &state, function_ref<Trip(SharedAccessState &)> visitTrip) {
  // A barrier inserted on the way takes accesses back that have been followed too far: then once more.
  SharedAccessState before = state;
  int64_t numBefore;
  do {
    numBefore = numInserted;
    SharedAccessState entry = before;
    bool hasGrown = true;
    while (hasGrown)
      std::tie(state, hasGrown) = visitTrip(entry);
  } while (numInserted != numBefore);
}

void FenceInserter::visitGroup(ThreadGroupOp group, SharedAccessState &state) {
  SmallVector<SharedAccessRecord> all;
  group.getBody().walk([&](Operation *op) {
    for (const SharedAccessRecord &access : accesses.get(op))
      all.push_back(access);
  });
  order(group, all, state);
  visitRegion(group.getBody(), SharedAccessState());
  // For the threads around it, its copies count as arrived if it waits at all: it may have.
  for (SharedAccessRecord access : all) {
    state.add(access);
    access.age = SharedAccessRecord::kDone;
    state.add(access);
  }
}

namespace {
class InsertFences : public tilus::impl::InsertFencesPassBase<InsertFences> {
public:
  using InsertFencesPassBase::InsertFencesPassBase;

  void runOnOperation() override {
    WalkResult layouts = getOperation()->walk([](AllocSharedOp op) {
      if (op.getResult().getType().getLayout())
        return WalkResult::advance();
      op.emitOpError("expected a shared tile with a layout, but got ")
          << op.getResult().getType() << "; run tilus-infer-layouts before";
      return WalkResult::interrupt();
    });
    if (layouts.wasInterrupted())
      return signalPassFailure();
    getOperation()->walk([&](KernelOp kernel) {
      FenceInserter(kernel, remarks).visitRegion(kernel.getBody(), SharedAccessState());
    });
  }
};
} // namespace
