// Tiles of different shapes are added.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %a = tilus.iota dim(0) : tensor<64xi32>
  %b = tilus.iota dim(0) : tensor<32xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: use of value '%b' expects different type than prior uses
  %c = arith.addi %a, %b : tensor<64xi32>
}
