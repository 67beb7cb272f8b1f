// Checking against chips given on the command line, instead of the module's target.
// RUN: tilus-opt %s -tilus-verify-target="targets=sm_80,sm_90a" | FileCheck %s
// RUN: not tilus-opt %s -tilus-verify-target="targets=sm_90a,sm_75" 2>&1 | FileCheck %s --check-prefix=UNMET
// RUN: not tilus-opt %s -tilus-verify-target="targets=sm_91" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// CHECK-LABEL: tilus.kernel @copies
// UNMET: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75
// UNMET-NOT: error:
// UNKNOWN: error: expected a known chip, but got 'sm_91'; did you mean 'sm_90'?
module {
  tilus.kernel @copies() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    tilus.copy_async.wait_all
  }
}
