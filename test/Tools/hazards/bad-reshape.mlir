// A reshape that changes the number of elements.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.reshape' op expected a result of 64 elements, but got 8x9
  %t = tilus.reshape %i : tensor<64xi32> -> tensor<8x9xi32>
}
