// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Names of kernels, and loops that never end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got 'a b'}}
tilus.kernel @"a b"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got '9'}}
tilus.kernel @"9"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

tilus.kernel @step(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{'scf.for' op expected a positive step, but got 0}}
  scf.for %i = %c0 to %n step %c0 : i32 {
  }
}
