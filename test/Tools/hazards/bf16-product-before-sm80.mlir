// A matrix instruction of bf16 on a chip without it.
// RUN: not tilus-opt %s -tilus-verify-target 2>&1 | FileCheck %s --implicit-check-not=error:

module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
  tilus.kernel @k() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %z = arith.constant dense<0.0> : tensor<16x8xf32>
    %a = arith.constant dense<1.0> : tensor<16x16xbf16>
    %b = arith.constant dense<1.0> : tensor<16x8xbf16>
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}requires feature 'mma.bf16' (sm_80 or later), but the kernel targets sm_75
    %d = tilus.mma %a, %b, %z atom(#tilus.mma_atom<m16n8k16_bf16_bf16_f32>) : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>
  }
}
