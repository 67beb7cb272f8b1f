// An assumption that does not hold.
// RUN: not tilus-run %s --device cpu --check-hazards --arg 12 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%n: i32) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %r = arith.remsi %n, %c8 : i32
  %ok = arith.cmpi eq, %r, %c0 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.assume' op expected the assumption to hold, but got false
  tilus.assume %ok
}
