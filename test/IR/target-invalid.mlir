// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of the questions to the target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @unknown_chip(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.target_is' op expected a known chip, but got 'sm_91'; did you mean 'sm_90'?}}
  %is = tilus.target_is "sm_91"
}

// -----

tilus.kernel @feature_is_no_chip(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.target_is' op expected a known chip, but got 'tma'; known are sm_70, }}
  %is = tilus.target_is "tma"
}

// -----

tilus.kernel @unknown_feature(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.target_supports' op expected a known chip or feature, but got 'tcgen5'; did you mean 'tcgen05'?}}
  %supports = tilus.target_supports "tcgen5"
}

// -----

tilus.kernel @nothing_near(%n: i32) warps(1) grid {
  // expected-error @below {{'tilus.target_supports' op expected a known chip or feature, but got 'tensor memory'}}
  %supports = tilus.target_supports "tensor memory"
  tilus.grid [%n]
} {
}
