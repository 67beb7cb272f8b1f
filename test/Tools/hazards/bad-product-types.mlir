// An f32 product summed in f16.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %z = arith.constant dense<0.0> : tensor<16x16xf16>
  %a = arith.constant dense<1.0> : tensor<16x16xf32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.mma' op expected floats of one type {{.*}}, but got 'f32', 'f32' and 'f16'
  %d = tilus.mma %a, %a, %z : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf16>
}
