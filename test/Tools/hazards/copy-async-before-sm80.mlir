// Asynchronous copies on a chip that has none.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
  tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
    %s = tilus.alloc_shared : !tilus.shared<64xi32>
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75
    tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
  }
}
