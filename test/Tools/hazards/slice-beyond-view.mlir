// A slice of a view at an index that it does not have is not checked; the access is.
// RUN: not tilus-run %s --device cpu --check-hazards --arg arange:64xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<8x8xi32>
  %r = tilus.slice_global %v[%c8] dims [0] : !tilus.global<8x8xi32> -> !tilus.global<8xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_global' op expected accesses within the 64 elements of parameter 'x', but got element 71
  %t = tilus.load_global %r[%c0] : !tilus.global<8xi32> -> tensor<8xi32>
}
