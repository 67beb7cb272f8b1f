// A module that states no target.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: expected a target on the module of kernel 'k', but got none
module {
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}
