// More blocks along y than any chip has.
// RUN: not tilus-run %s --device cpu --check-hazards --arg 65536 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%n: i32) warps(4) grid {
  %c1 = arith.constant 1 : i32
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.grid' op expected at most 65535 blocks along y, but got 65536
  tilus.grid [%c1, %n]
} {
}
