// A constant grid that ends within a cluster. One that depends on parameters is checked by the launch.
// RUN: tilus-opt --tilus-to-ptx="targets=sm_90a" --split-input-file --verify-diagnostics %s

// expected-note @+1 {{the clusters are declared here}}
tilus.kernel @part(%n: i32) warps(1) cluster(1, 2) grid {
  %c3 = arith.constant 3 : i32
  // expected-error @+1 {{'tilus.grid' op expected whole clusters of 2 blocks along y, but got 3 blocks}}
  tilus.grid [%n, %c3]
} {
}

// -----

tilus.kernel @whole(%n: i32) warps(1) cluster(1, 2) grid {
  %c4 = arith.constant 4 : i32
  tilus.grid [%n, %c4]
} {
}

// -----

// Without blocks nothing is launched.
tilus.kernel @none(%n: i32) warps(1) cluster(2) grid {
  %c0 = arith.constant 0 : i32
  tilus.grid [%c0]
} {
}
