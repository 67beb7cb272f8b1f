// A transpose that names a dimension twice.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<8x8xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.transpose' op expected a permutation of the 2 dimensions, but got {{\[}}0, 0]
  %t = tilus.transpose %i [0, 0] : tensor<8x8xi32> -> tensor<8x8xi32>
}
