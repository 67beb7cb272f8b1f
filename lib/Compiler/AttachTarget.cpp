// The pass tilus-attach-target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Passes.h"
#include "Tilus/IR/TilusAttrs.h"
#include "Tilus/IR/TilusDialect.h"

using namespace mlir;

namespace tilus {
#define GEN_PASS_DEF_ATTACHTARGETPASS
#include "Tilus/Compiler/Passes.h.inc"
} // namespace tilus

using namespace tilus;

namespace {
class AttachTargetPass : public tilus::impl::AttachTargetPassBase<AttachTargetPass> {
public:
  using AttachTargetPassBase::AttachTargetPassBase;

  void runOnOperation() override {
    if (chip.empty())
      return;
    const TargetInfo *target = lookupTarget(chip);
    if (!target) {
      getOperation().emitError() << describeUnknownTarget(chip);
      return signalPassFailure();
    }
    auto attribute = TargetAttr::get(&getContext(), target->triple, target->chip, "");
    getOperation()->setAttr(TilusDialect::kTargetAttrName, attribute);
  }

  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<TilusDialect>(); }
};
} // namespace
