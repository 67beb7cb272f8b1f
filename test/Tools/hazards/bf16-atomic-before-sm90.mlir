// Atomic updates of bf16 on a chip without them.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %s = tilus.alloc_shared : !tilus.shared<64xbf16>
    %f = arith.constant dense<1.0> : tensor<64xbf16>
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}requires feature 'atomic.bf16x2' (sm_90 or later), but the kernel targets sm_80
    tilus.atomic add, %s, %f : !tilus.shared<64xbf16>, tensor<64xbf16>
  }
}
