// Op interfaces of the dialect: the layout, target and scratch seams.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_IR_INTERFACES_TILUSINTERFACES_TD
#define TILUS_IR_INTERFACES_TILUSINTERFACES_TD

include "mlir/IR/OpBase.td"

def LayoutOpInterface : OpInterface<"LayoutOpInterface"> {
  let cppNamespace = "::tilus";
  let description = [{
    How the register layouts of an op's tiles depend on one another. An op states exactly one layout
    rule: this interface, or one of the traits `LayoutFree` and `SameLayout`.
  }];
  let methods = [
    InterfaceMethod<[{
      Proposes layouts for tiles of this op that follow from those already known to the query.
      Must be a function of the op and the known layouts alone, and must not fail: what does not
      follow is left open and the pass chooses a default.
    }], "void", "inferLayouts", (ins "::tilus::LayoutQuery &":$query)>,
    InterfaceMethod<[{
      Checks the layouts of a fully laid out op and emits an error when they disagree.
    }], "::llvm::LogicalResult", "verifyLayouts", (ins), "", [{ return ::mlir::success(); }]>,
  ];
}

def TargetRequirementOpInterface : OpInterface<"TargetRequirementOpInterface"> {
  let cppNamespace = "::tilus";
  let description = [{
    What an op requires of the target. Checked by `tilus-verify-target`, never by the op's verifier:
    IR exists before its target is known.
  }];
  let methods = [
    InterfaceMethod<"The requirement; by default every chip of the table will do.",
      "::tilus::TargetRequirement", "getTargetRequirement", (ins), "",
      [{ return ::tilus::TargetRequirement(); }]>,
  ];
}

// An op that needs shared memory of its own while it runs, such as a reduction across warps.
def ScratchOpInterface : OpInterface<"ScratchOpInterface"> {
  let cppNamespace = "::tilus";
  let description = [{
    Scratch space in shared memory, sized after layouts are known. The shared-memory plan places it
    and records the place in the attribute `tilus.scratch_offset`.
  }];
  let methods = [
    InterfaceMethod<"Bytes of shared memory that the op needs while it runs, given its layouts; 0 if none.",
      "int64_t", "getScratchBytes", (ins)>,
  ];
}

#endif // TILUS_IR_INTERFACES_TILUSINTERFACES_TD
