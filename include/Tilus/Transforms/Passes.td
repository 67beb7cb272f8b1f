// The passes on the dialect, in the order of the pipeline.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_TRANSFORMS_PASSES_TD
#define TILUS_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyTargetPass : Pass<"tilus-verify-target"> {
  let summary = "checks that kernels ask nothing of their target that it has not";
  let description = [{
    Each op of a kernel is held against the target of the module around it, and so are the kernel's warps
    and cluster. A module without a target is one error that says how to set it.

    ```mlir
    module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
    }
    ```
  }];
  let options = [
    ListOption<"targets", "targets", "std::string",
               "Chips to check against, instead of the module's own target">
  ];
}

#endif // TILUS_TRANSFORMS_PASSES_TD
