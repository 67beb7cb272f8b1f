// The barrier is in a branch that is not taken.
// RUN: not tilus-run %s --device cpu --check-hazards --arg false 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%p: i1) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  scf.if %p {
    tilus.sync
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_shared' op expected a barrier before element {{\[[0-9, ]*\]}} is read, which other threads have written, but got none
  %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
}
