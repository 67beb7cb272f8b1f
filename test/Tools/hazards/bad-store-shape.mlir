// A tile is stored to a shared tile of another shape.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<8x8xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.store_shared' op expected a value of shape 8x8, but got 64
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<8x8xi32>
}
