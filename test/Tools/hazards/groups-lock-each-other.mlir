// Two thread groups wait for each other.
// RUN: not tilus-run %s --device cpu --check-hazards --arg zeros:2xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<2xi32>
  %c1 = arith.constant 1 : i32
  tilus.thread_group begin(0) threads(64) {
    // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.semaphore_lock' op expected a thread group or block that can go on, but all of them wait
    tilus.semaphore_lock %v[%c0], %c1 : !tilus.global<2xi32>
    tilus.semaphore_release %v[%c1], %c1 : !tilus.global<2xi32>
  }
  tilus.thread_group begin(64) threads(64) {
    tilus.semaphore_lock %v[%c1], %c1 : !tilus.global<2xi32>
    tilus.semaphore_release %v[%c0], %c1 : !tilus.global<2xi32>
  }
}
