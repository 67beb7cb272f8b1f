// tilus-mark-read-only: finds the loads of global memory that the assembler may move across barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tilus {
#define GEN_PASS_DEF_MARKREADONLYPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

static bool writes(Operation *op, SideEffects::Resource *resource) {
  if (op->hasTrait<mlir::OpTrait::HasRecursiveMemoryEffects>())
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffectsOnResource(resource, instances);
  return llvm::any_of(instances,
                      [](auto &instance) { return isa<MemoryEffects::Write>(instance.getEffect()); });
}

/// A barrier of the block orders accesses and makes none.
static bool writesGlobal(Operation *op) {
  return !isa<SyncOp>(op) && writes(op, GlobalMemoryResource::get());
}

static bool contains(Operation *root, llvm::function_ref<bool(Operation *)> test) {
  return root->walk([&](Operation *op) { return test(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

/// Whether the tile, changed at most element by element, is stored to shared memory before a later barrier or
/// store to global memory: then no store behind these overtakes the load.
static bool isSoonStored(LoadGlobalOp load) {
  Operation *user = load;
  do {
    if (user->getNumResults() != 1 || !user->getResult(0).hasOneUse())
      return false;
    user = *user->getResult(0).user_begin();
  } while (user->getBlock() == load->getBlock() && isPure(user));
  if (!isa<StoreSharedOp>(user) || user->getBlock() != load->getBlock())
    return false;
  auto isInTheWay = [](Operation *op) { return writes(op, BarrierResource::get()) || writesGlobal(op); };
  for (Operation *op = load->getNextNode(); op != user; op = op->getNextNode())
    if (contains(op, isInTheWay))
      return false;
  return true;
}

namespace {
struct MarkReadOnly : public tilus::impl::MarkReadOnlyPassBase<MarkReadOnly> {
  void runOnOperation() override {
    getOperation()->walk([](KernelOp kernel) { markKernel(kernel); });
  }

private:
  static void markKernel(KernelOp kernel) {
    // Groups of threads run at the same time: what one writes another may read, wherever it stands.
    bool isWritten =
        contains(kernel, [](Operation *op) { return isa<ThreadGroupOp>(op) && contains(op, writesGlobal); });
    kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      // What a round of a loop writes, the next one may read.
      isWritten |= writesGlobal(op) || (isa<LoopLikeOpInterface>(op) && contains(op, writesGlobal));
      auto load = dyn_cast<LoadGlobalOp>(op);
      if (load && !isWritten && load.getCache() == CacheHint::Default && isSoonStored(load))
        load.setCache(CacheHint::ReadOnly);
    });
  }
};
} // namespace
