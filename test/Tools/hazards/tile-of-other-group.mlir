// A thread group uses a tile of the block.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  %i = tilus.iota dim(0) : tensor<64xi32>
  tilus.store_shared %i, %s : tensor<64xi32>, !tilus.shared<64xi32>
  tilus.sync
  %t = tilus.load_shared %s : !tilus.shared<64xi32> -> tensor<64xi32>
  tilus.sync
  tilus.thread_group begin(0) threads(64) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.store_shared' op expected tiles of its own thread group of 64 threads, but got one of the enclosing group
    tilus.store_shared %t, %s : tensor<64xi32>, !tilus.shared<64xi32>
  }
}
