// A semaphore that is no word of 32 bits.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%x: !tilus.ptr<f32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64xf32>
  %c1 = arith.constant 1 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.semaphore_lock' op expected a view of i32, but got 'f32'
  tilus.semaphore_lock %v[%c0], %c1 : !tilus.global<64xf32>
}
