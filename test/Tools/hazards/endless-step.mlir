// A loop whose step is zero.
// RUN: not tilus-run %s --device cpu --check-hazards --arg 0 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%n: i32) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'scf.for' op expected a positive step, but got 0
  scf.for %k = %c0 to %c4 step %n : i32 {
  }
}
