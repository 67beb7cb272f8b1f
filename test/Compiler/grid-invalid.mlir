// Grids and workspaces that a launch cannot compute.
// RUN: tilus-opt --tilus-to-ptx="targets=sm_80" --split-input-file --verify-diagnostics %s

tilus.kernel @real(%n: f32) warps(1) grid {
  // expected-error @+1 {{'arith.fptosi' op expected integer arithmetic that a launch can evaluate, where a size depends on it}}
  %i = arith.fptosi %n : f32 to i32
  tilus.grid [%i]
} {
}

// -----

// expected-error @+1 {{'tilus.kernel' op expected a size that the host computes in at most 4096 steps, 256 deep, but got more}}
tilus.kernel @doubled(%n: i32) warps(1) grid {
  %0 = arith.addi %n, %n : i32
  %1 = arith.addi %0, %0 : i32
  %2 = arith.addi %1, %1 : i32
  %3 = arith.addi %2, %2 : i32
  %4 = arith.addi %3, %3 : i32
  %5 = arith.addi %4, %4 : i32
  %6 = arith.addi %5, %5 : i32
  %7 = arith.addi %6, %6 : i32
  %8 = arith.addi %7, %7 : i32
  %9 = arith.addi %8, %8 : i32
  %10 = arith.addi %9, %9 : i32
  %11 = arith.addi %10, %10 : i32
  %12 = arith.addi %11, %11 : i32
  tilus.grid [%12]
} {
}

// -----

tilus.kernel @workspace(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @+1 {{'tilus.block_id' op expected integer arithmetic that a launch can evaluate, where a size depends on it}}
  %i = tilus.block_id x
  %w = tilus.alloc_global [%i] : !tilus.global<?xi32>
  %zero = arith.constant dense<0> : tensor<32xi32>
  tilus.store_global %zero, %w[%i] : tensor<32xi32>, !tilus.global<?xi32>
}

// -----

tilus.kernel @many(%n: i32) warps(1) grid {
  %c1 = arith.constant 65537 : i32
  // expected-error @+1 {{'tilus.grid' op expected at most 65535 blocks along z, but got 65537}}
  tilus.grid [%n, %n, %c1]
} {
}

// -----

tilus.kernel @no_quotient(%n: i32) warps(1) grid {
  %c0 = arith.constant 0 : i32
  %c1 = arith.divsi %c0, %c0 : i32
  // expected-error @+1 {{'tilus.grid' op expected a divisor other than 0 in the grid expression, but got '0 divs 0' in the number of blocks along x}}
  tilus.grid [%c1]
} {
}
