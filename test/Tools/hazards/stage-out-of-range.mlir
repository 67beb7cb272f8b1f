// A stage that the allocation does not have.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c2 = arith.constant 2 : i32
  %r = tilus.alloc_shared : !tilus.shared<2x64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.slice_shared' op expected an offset of 0 to 1 in dimension 0, but got 2
  %s = tilus.slice_shared %r[%c2] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
}
