// A tile is read that nobody wrote.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_shared' op expected shared memory that was written, but got element {{\[[0-9, ]*\]}} that never was
  %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
}
