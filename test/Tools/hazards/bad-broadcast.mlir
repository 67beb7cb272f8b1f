// A broadcast of a dimension that is not 1.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.broadcast' op expected a shape that stretches to 128, but got 64
  %t = tilus.broadcast %i : tensor<64xi32> -> tensor<128xi32>
}
