// A semaphore outside of its view.
// RUN: not tilus-run %s --device cpu --check-hazards --arg zeros:2xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<2xi32>
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.semaphore_release' op expected an offset within the 2 words along dimension 0 of the view, but got 2
  tilus.semaphore_release %v[%c2], %c1 : !tilus.global<2xi32>
}
