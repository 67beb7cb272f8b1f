// Each block waits for the next one, and the last one for ever.
// RUN: not tilus-run %s --device cpu --check-hazards --arg zeros:4xi32 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<i32>) warps(4) grid {
  %c3 = arith.constant 3 : i32
  tilus.grid [%c3]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4xi32>
  %b = tilus.block_id x
  %n = arith.addi %b, %c1 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.semaphore_lock' op expected a thread group or block that can go on, but all of them wait
  tilus.semaphore_lock %v[%n], %c1 : !tilus.global<4xi32>
  tilus.semaphore_release %v[%b], %c1 : !tilus.global<4xi32>
}
