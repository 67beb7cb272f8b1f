// One offset too few.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<8x8xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_global' op expected one offset for each of the 2 dimensions of the view, but got 1
  %t = tilus.load_global %v[%c0] : !tilus.global<8x8xi32> -> tensor<8xi32>
}
