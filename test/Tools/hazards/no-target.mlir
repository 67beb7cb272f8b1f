// A module that states no target.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.kernel' op expected a target, but its module names none; give the module the attribute 'tilus.target'
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}
