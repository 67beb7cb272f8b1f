// A tile is freed twice.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  tilus.free_shared %s : !tilus.shared<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.free_shared' op expected a shared tile that is allocated, but got one that was freed
  tilus.free_shared %s : !tilus.shared<64xi32>
}
