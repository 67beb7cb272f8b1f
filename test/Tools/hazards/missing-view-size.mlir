// A dynamic size without an operand.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.global_view' op expected one operand for each of the 1 dynamic sizes, but got 0
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<?xi32>
}
