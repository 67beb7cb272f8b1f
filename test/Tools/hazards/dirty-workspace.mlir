// A clean workspace is left with something in it.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.alloc_global' op expected the kernel to leave zeros in a clean workspace, but got 7 in byte 0
  %w = tilus.alloc_global [] clean : !tilus.global<4xi32>
  %i = arith.constant dense<7> : tensor<4xi32>
  tilus.store_global %i, %w[%c0] : tensor<4xi32>, !tilus.global<4xi32>
}
