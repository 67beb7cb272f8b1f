// The operands of a product do not agree on k.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = arith.constant dense<1.0> : tensor<16x32xf16>
  %b = arith.constant dense<1.0> : tensor<16x16xf16>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.mma' op expected 'a' and 'b' to agree on k, but got 16x32 and 16x16
  %d = tilus.mma %a, %b, %z : tensor<16x32xf16>, tensor<16x16xf16>, tensor<16x16xf32>
}
