// A grid that ends within a cluster: no launch can have it.
// RUN: not tilus-run %s --device cpu --check-hazards --arg 5 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k(%n: i32) warps(4) cluster(2) grid {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.grid' op expected whole clusters of 2 blocks along x, but got 5 blocks
  tilus.grid [%n]
} {
}
