// A semaphore is waited for that nobody releases.
// RUN: not tilus-run %s --device cpu --check-hazards --arg zeros:1xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<1xi32>
  %c7 = arith.constant 7 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.semaphore_lock' op expected a thread group or block that can go on, but all of them wait
  tilus.semaphore_lock %v[%c0], %c7 : !tilus.global<1xi32>
}
