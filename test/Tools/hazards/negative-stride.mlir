// A view that runs backwards from the start of the buffer.
// RUN: not tilus-run %s --device cpu --check-hazards --arg arange:64xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<8xi32, strides = [-1]>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_global' op expected accesses within the 64 elements of parameter 'x', but got element -7
  %t = tilus.load_global %v[%c0] : !tilus.global<8xi32, strides = [-1]> -> tensor<8xi32>
}
