// A block of more than 32 warps.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.kernel' op expected 1 to 32 warps, but got 33
tilus.kernel @k() warps(33) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
}
