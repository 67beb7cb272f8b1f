// A bitwise reduction of floats.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %f = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.reduce' op expected an element type that 'and' combines, but got 'f32'
  %t = tilus.reduce and, %f dim(0) : tensor<64xf32> -> tensor<f32>
}
