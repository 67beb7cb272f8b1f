// A pinned layout whose modes do not make up the shape.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: expected {{.*}}, but got {{.*}}
  %p = tilus.convert_layout %i : tensor<64xi32> -> tensor<64xi32, #tilus.reg<shape = [64], modes = [3, 16], spatial = [1], local = [0]>>
}
