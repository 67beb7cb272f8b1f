// A dynamic stride that leads out of the buffer.
// RUN: not tilus-run %s --device cpu --check-hazards --arg arange:64xi32 --arg 9 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>, %n: i32) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x strides [%n] : !tilus.ptr<i32> -> !tilus.global<8x8xi32, strides = [?, 1]>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.load_global' op expected accesses within the 64 elements of parameter 'x', but got element {{[0-9]+}}
  %t = tilus.load_global %v[%c0, %c0] : !tilus.global<8x8xi32, strides = [?, 1]> -> tensor<8x8xi32>
}
