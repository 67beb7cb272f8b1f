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

/// Checks a kernel and all that is in it.
static LogicalResult verifyAgainst(KernelOp kernel, const TargetInfo &target) {
  LogicalResult result = verifyKernel(kernel, target);
  kernel.getBody().walk([&](TargetRequirementOpInterface op) {
    TargetRequirement requirement = op.getTargetRequirement();
    if (requirement.isMetBy(target))
      return;
    InFlightDiagnostic error = op->emitOpError(requirement.describeMismatch(target));
    if (StringRef alternative = getAlternative(op); !alternative.empty())
      error.attachNote() << alternative;
    result = failure();
  });
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
  /// Checks a kernel against the chips, or else against its own target. False if it has none: the error is
  /// the module's then, and one is enough.
  bool checkKernel(KernelOp kernel, ArrayRef<const TargetInfo *> chips) {
    TargetAttr own = getTarget(kernel);
    if (chips.empty() && !own) {
      Operation *module = kernel->getParentOp();
      (module ? module : kernel)->emitError("expected a target on the module of kernel '")
          << kernel.getSymName() << "', but got none; set one with '" << TilusDialect::kTargetAttrName
          << " = #tilus.target<chip = \"sm_90a\">'";
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
