// An atomic update is read with no barrier.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  tilus.sync
  tilus.atomic add, %s, %i : !tilus.shared<64xi32>, tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_shared' op expected a barrier before element {{\[[0-9, ]*\]}} is read, which other threads have updated, but got none
  %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
}
