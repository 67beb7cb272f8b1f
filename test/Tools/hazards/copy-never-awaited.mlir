// The threads end while their copy is under way.
// RUN: not tilus-run %s --device cpu --check-hazards --arg arange:64xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.copy_async' op expected a wait for the copy before its threads end, but got none
  tilus.copy_async %v[%c0], %s : !tilus.global<64xi32>, !tilus.shared<64xi32>
}
