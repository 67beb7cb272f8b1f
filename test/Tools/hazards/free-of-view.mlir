// A part of an allocation is freed.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %r = tilus.alloc_shared : !tilus.shared<2x64xi32>
  %c0 = arith.constant 0 : i32
  %s = tilus.slice_shared %r[%c0] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.free_shared' op expected the result of 'tilus.alloc_shared'
  tilus.free_shared %s : !tilus.shared<64xi32>
}
