// One stage was written, another one is read.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %r = tilus.alloc_shared : !tilus.shared<2x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %s = tilus.slice_shared %r[%c0] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
  %n = tilus.slice_shared %r[%c1] dims [0] : !tilus.shared<2x64xi32> -> !tilus.shared<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  tilus.sync
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_shared' op expected shared memory that was written, but got element {{\[[0-9, ]*\]}} that never was
  %t = tilus.load_shared %n : !tilus.shared<64xi32> -> tensor<64xi32>
}
