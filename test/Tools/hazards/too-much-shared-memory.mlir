// More shared memory than the chip has for a block.
// RUN: not tilus-opt %s -tilus-infer-layouts -tilus-plan-shared-memory 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected at most 232448 bytes of shared memory on sm_90a, but got 262144
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %s = tilus.alloc_shared : !tilus.shared<65536xf32>
    %f = arith.constant dense<1.0> : tensor<65536xf32>
    tilus.store_shared %f, %s : tensor<65536xf32>, !tilus.shared<65536xf32>
  }
}
