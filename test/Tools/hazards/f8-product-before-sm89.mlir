// A matrix instruction of f8 on a chip without it.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %z = arith.constant dense<0.0> : tensor<16x8xf32>
    %a = arith.constant dense<1.0> : tensor<16x32xf8E4M3FN>
    %b = arith.constant dense<1.0> : tensor<32x8xf8E4M3FN>
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}requires feature 'mma.f8' (sm_89 or later), but the kernel targets sm_80
    %d = tilus.mma %a, %b, %z atom(#tilus.mma_atom<m16n8k32_e4m3_e4m3_f32>) : tensor<16x32xf8E4M3FN>, tensor<32x8xf8E4M3FN>, tensor<16x8xf32>
  }
}
