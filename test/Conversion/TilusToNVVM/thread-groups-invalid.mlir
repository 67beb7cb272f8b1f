// Groups that the hardware's barriers cannot hold.
// RUN: tilus-opt %s -split-input-file -verify-diagnostics --convert-tilus-to-nvvm
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A barrier waits for all threads of a warp, also for those that are not in the group.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  tilus.kernel @across() warps(4) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    // expected-note @+1 {{the thread group begins here}}
    tilus.thread_group begin(16) threads(32) {
      // expected-error @+1 {{'tilus.sync' op expected a thread group that synchronises to be part of one warp, or whole warps with a begin and a number of threads that 32 divides, but got threads 16 to 48 of the block}}
      tilus.sync
    }
  }
}

// -----

module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  tilus.kernel @uneven() warps(4) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    tilus.thread_group begin(32) threads(96) {
      // expected-note @+1 {{the thread group begins here}}
      tilus.thread_group begin(32) threads(40) {
        // expected-error @+1 {{but got threads 64 to 104 of the block}}
        tilus.sync
      }
    }
  }
}

// -----

// Through shared memory, the sum is of all threads: they would have to wait for each other.
#line = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>
#one = #tilus.reg<shape = [1], modes = [], spatial = [-32], local = []>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  tilus.kernel @sum() warps(4) attributes {tilus.shared_bytes = 128 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    // expected-note @+1 {{the thread group begins here}}
    tilus.thread_group begin(16) threads(32) {
      %t = arith.constant dense<1.0> : tensor<32xf32, #line>
      // expected-error @+1 {{'tilus.reduce' op expected a thread group that synchronises}}
      %r = tilus.reduce add, %t dim(0) keep_dim : tensor<32xf32, #line> -> tensor<1xf32, #one>
    }
  }
}

// -----

// What needs no barrier may run on any threads.
#line = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  tilus.kernel @silent(%x: !tilus.ptr<f32>) warps(4) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<32xf32>
    tilus.thread_group begin(16) threads(32) {
      %t = arith.constant dense<1.0> : tensor<32xf32, #line>
      tilus.store_global %t, %v[%c0] : tensor<32xf32, #line>, !tilus.global<32xf32>
    }
  }
}
