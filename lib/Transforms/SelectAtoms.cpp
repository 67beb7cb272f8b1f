// tilus-select-atoms: the instruction of each matrix product and of each access to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows from the layouts that inference has chosen; changes no type.
#include "AtomRules.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "Tilus/Layout/BankConflicts.h"
#include "Tilus/Transforms/Passes.h"

namespace tilus {
#define GEN_PASS_DEF_SELECTATOMSPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// Whether the warps of the hardware are those of the layouts: the group starts at a warp's first thread.
static bool hasWholeWarps(Operation *op) {
  std::optional<int64_t> begin = getThreadBegin(op);
  return begin && *begin % kWarpSize == 0 && getNumThreads(op) % kWarpSize == 0;
}

const MmaAtom *tilus::findMmaAtom(MmaOp op) {
  TargetAttr target = getTarget(op);
  RegisterLayoutAttr a = getTileLayout(op.getA().getType()), b = getTileLayout(op.getB().getType()),
                     acc = getTileLayout(op.getAcc().getType());
  if (!target || !a || !b || !acc || !hasWholeWarps(op))
    return nullptr;
  auto elementOf = [](Value tile) { return getElementTypeOrSelf(tile.getType()); };
  auto plan = planMmaForAcc(acc.getLayout(), a.getLayout().getShape()[1], elementOf(op.getA()),
                            elementOf(op.getB()), elementOf(op.getAcc()), *target.getInfo());
  return plan && plan->a == a.getLayout() && plan->b == b.getLayout() ? plan->atom : nullptr;
}

bool tilus::canUseAccess(Operation *op, Value tile, Value shared, SharedAccess access) {
  if (access == SharedAccess::Vector)
    return true;
  TargetAttr target = getTarget(op);
  RegisterLayoutAttr layout = getTileLayout(tile.getType());
  SharedLayoutAttr place = cast<SharedType>(shared.getType()).getLayout();
  int64_t bits = getElementBits(getElementTypeOrSelf(tile.getType()));
  return target && layout && place && hasWholeWarps(op) &&
         hasInstruction(access, isa<LoadSharedOp>(op), *target.getInfo()) &&
         canAccess(access, layout.getLayout(), place.getLayout(), bits, getOriginAlignment(shared));
}

/// The matrix form if there is one and the banks serve it as fast as vectors, else vectors.
static SharedAccess selectAccess(Operation *op, Value tile, Value shared) {
  for (SharedAccess access : {SharedAccess::Matrix, SharedAccess::MatrixTrans}) {
    if (!canUseAccess(op, tile, shared, access))
      continue;
    const RegisterLayout &layout = getTileLayout(tile.getType()).getLayout();
    const SharedLayout &place = cast<SharedType>(shared.getType()).getLayout().getLayout();
    int64_t bits = getElementBits(getElementTypeOrSelf(tile.getType())),
            alignment = getOriginAlignment(shared);
    if (countWavefronts(access, layout, place, bits, alignment) <=
        countWavefronts(SharedAccess::Vector, layout, place, bits, alignment))
      return access;
  }
  return SharedAccess::Vector;
}

namespace {
class SelectAtoms : public tilus::impl::SelectAtomsPassBase<SelectAtoms> {
public:
  using SelectAtomsPassBase::SelectAtomsPassBase;

  void runOnOperation() override {
    getOperation()->walk([&](KernelOp kernel) {
      kernel.getBody().walk([&](Operation *op) {
        if (auto mma = dyn_cast<MmaOp>(op))
          select(mma);
        else if (auto load = dyn_cast<LoadSharedOp>(op))
          select(load, load.getResult(), load.getSource());
        else if (auto store = dyn_cast<StoreSharedOp>(op))
          select(store, store.getValue(), store.getDest());
      });
    });
  }

private:
  void select(MmaOp op) {
    const MmaAtom *atom = findMmaAtom(op);
    op.setAtomAttr(MmaAtomAttr::get(op.getContext(), atom ? StringRef(atom->name) : StringRef("simt")));
    if (remarks)
      op.emitRemark("multiplies with '") << op.getAtomAttr().getName() << "'";
  }

  template <typename AccessOp> void select(AccessOp op, Value tile, Value shared) {
    op.setAccess(selectAccess(op, tile, shared));
    if (remarks)
      op.emitRemark("accesses shared memory by '") << stringifySharedAccess(op.getAccess()) << "'";
  }
};
} // namespace
