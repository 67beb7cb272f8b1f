// A pinned layout that uses a mode twice.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: expected each mode to be used once, but got 2 uses of mode 0
  %p = tilus.convert_layout %i : tensor<64xi32> -> tensor<64xi32, #tilus.reg<shape = [64], modes = [2, 32], spatial = [0, 1], local = [0]>>
}
