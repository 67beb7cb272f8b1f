// tilus-verify-target: holds kernels against what their target has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the check and its diagnostics. What an op requires is the op's own knowledge, what a chip has is
// TargetInfo's.
#include "Tilus/IR/TilusOps.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "Tilus/Transforms/Passes.h"

namespace tilus {
#define GEN_PASS_DEF_VERIFYTARGETPASS
#include "Tilus/Transforms/Passes.h.inc"
} // namespace tilus

using namespace mlir;
using namespace tilus;

/// Checks the kernel's own requirements: its threads and its cluster.
static LogicalResult verifyKernel(KernelOp kernel, const TargetInfo &target) {
  LogicalResult result = success();
  if (kernel.getNumThreads() > target.maxThreadsPerBlock)
    result = kernel.emitOpError("expected at most ") << target.maxThreadsPerBlock << " threads a block on "
                                                     << target.chip << ", but got " << kernel.getNumThreads();
  int64_t blocks = 1;
  for (int32_t size : kernel.getCluster().value_or(ArrayRef<int32_t>()))
    blocks *= size;
  if (blocks == 1)
    return result;
  TargetRequirement cluster(Feature::Cluster);
  if (!cluster.isMetBy(target))
    return kernel.emitOpError(cluster.describeMismatch(target));
  if (blocks > target.maxClusterSize)
    return kernel.emitOpError("expected a cluster of at most ")
           << target.maxClusterSize << " blocks on " << target.chip << ", but got " << blocks;
  return result;
}

/// What does the same without what the op requires; empty if nothing does.
static StringRef getAlternative(Operation *op) {
  if (isa<CopyAsyncOp>(op))
    return "use 'tilus.load_global' and 'tilus.store_shared' instead";
  if (isa<CommitGroupOp, WaitGroupOp, WaitAllOp>(op))
    return "nothing needs to be waited for without asynchronous copies";
  return isa<MmaOp>(op) ? "use the atom 'simt', or leave the choice to 'tilus-select-atoms'" : "";
}

/// Checks a kernel and all that is in it. Ops that miss the same are one error, at the first of them.
static LogicalResult verifyAgainst(KernelOp kernel, const TargetInfo &target) {
  LogicalResult result = verifyKernel(kernel, target);
  SmallVector<std::pair<std::string, SmallVector<Operation *>>> missing;
  kernel.getBody().walk([&](TargetRequirementOpInterface op) {
    TargetRequirement requirement = op.getTargetRequirement();
    if (requirement.isMetBy(target))
      return;
    std::string mismatch = requirement.describeMismatch(target);
    auto known = llvm::find_if(missing, [&](auto &entry) { return entry.first == mismatch; });
    if (known != missing.end())
      known->second.push_back(op);
    else
      missing.push_back({mismatch, {op}});
  });
  constexpr size_t kMostNotes = 4;
  for (auto &[mismatch, ops] : missing) {
    InFlightDiagnostic error = ops.front()->emitOpError(mismatch);
    if (StringRef alternative = getAlternative(ops.front()); !alternative.empty())
      error.attachNote() << alternative;
    for (Operation *other : ArrayRef(ops).slice(1).take_front(kMostNotes))
      error.attachNote(other->getLoc()) << "'" << other->getName() << "' requires it too";
    if (ops.size() > 1 + kMostNotes)
      error.attachNote() << "so do " << ops.size() - 1 - kMostNotes << " further operations";
    result = failure();
  }
  return result;
}

namespace {
class VerifyTarget : public tilus::impl::VerifyTargetPassBase<VerifyTarget> {
public:
  using VerifyTargetPassBase::VerifyTargetPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    SmallVector<const TargetInfo *> chips;
    for (const std::string &name : targets)
      if (const TargetInfo *chip = lookupTarget(name)) {
        chips.push_back(chip);
      } else {
        getOperation()->emitError(describeUnknownTarget(name));
        return signalPassFailure();
      }
    WalkResult result = getOperation()->walk<WalkOrder::PreOrder>([&](KernelOp kernel) {
      return checkKernel(kernel, chips) ? WalkResult::skip() : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  /// Checks a kernel against the chips, or else against its own target. False if it has none: its module has
  /// none then, and one error is enough.
  bool checkKernel(KernelOp kernel, ArrayRef<const TargetInfo *> chips) {
    TargetAttr own = getTarget(kernel);
    if (chips.empty() && !own) {
      kernel->emitOpError("expected a target, but its module names none; give the module the attribute '")
          << TilusDialect::kTargetAttrName
          << "', as in #tilus.target<chip = \"sm_90a\">, or name a chip by the option 'target'";
      return false;
    }
    if (chips.empty() && failed(verifyAgainst(kernel, *own.getInfo())))
      signalPassFailure();
    for (const TargetInfo *chip : chips)
      if (failed(verifyAgainst(kernel, *chip)))
        signalPassFailure();
    return true;
  }
};
} // namespace
