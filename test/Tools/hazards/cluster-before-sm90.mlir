// A cluster on a chip that has none.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}requires feature 'cluster' (sm_90 or later), but the kernel targets sm_80
  tilus.kernel @k() warps(4) cluster(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}
