// What kernels ask of their target.
// RUN: tilus-opt %s -split-input-file -verify-diagnostics -tilus-verify-target

// A kernel whose target has all it asks for passes, unchanged.
// CHECK-LABEL: tilus.kernel @met
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  tilus.kernel @met(%x: !tilus.ptr<f16>) warps(32) cluster(2, 4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    tilus.copy_async.wait_all
  }
}

// -----

module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
  tilus.kernel @unmet(%x: !tilus.ptr<f16>) warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %v = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<64x64xf16>
    %s = tilus.alloc_shared : !tilus.shared<64x64xf16>
    scf.for %i = %c0 to %c1 step %c1 : i32 {
      // expected-note @below {{use 'tilus.load_global' and 'tilus.store_shared' instead}}
      // expected-error @below {{requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75}}
      tilus.copy_async %v[%i, %i], %s : !tilus.global<64x64xf16>, !tilus.shared<64x64xf16>
    }
    // One cause is one error.
    // expected-note @below {{'tilus.copy_async.wait_all' requires it too}}
    tilus.copy_async.wait_all
  }
}

// -----

// Of many ops that miss the same, the first ones are named.
module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
  tilus.kernel @many(%n: i32) warps(4) grid {
    tilus.grid [%n]
  } {
    // expected-note @below {{nothing needs to be waited for without asynchronous copies}}
    // expected-note @below {{so do 2 further operations}}
    // expected-error @below {{requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75}}
    tilus.copy_async.wait_all
    // expected-note @below {{requires it too}}
    tilus.copy_async.wait_all
    // expected-note @below {{requires it too}}
    tilus.copy_async.wait_all
    // expected-note @below {{requires it too}}
    tilus.copy_async.wait_all
    // expected-note @below {{requires it too}}
    tilus.copy_async.wait_all
    tilus.copy_async.wait_all
    tilus.copy_async.wait_all
  }
}

// -----

module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
  // expected-error @below {{requires feature 'cluster' (sm_90 or later), but the kernel targets sm_80}}
  tilus.kernel @no_clusters() warps(4) cluster(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

// -----

// A cluster of one block is none.
module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
  tilus.kernel @cluster_of_one() warps(4) cluster(1, 1, 1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

// -----

module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // expected-error @below {{expected a cluster of at most 8 blocks on sm_90a, but got 12}}
  tilus.kernel @large_cluster() warps(4) cluster(4, 3) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

// -----

// One error a module, whatever the number of kernels.
module {
  // expected-error @below {{expected a target, but its module names none; give the module the attribute 'tilus.target', as in #tilus.target<chip = "sm_90a">, or name a chip by the option 'target'}}
  tilus.kernel @a() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
  tilus.kernel @b() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

// -----

module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
  tilus.kernel @atom() warps(4) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %a = arith.constant dense<1.0> : tensor<16x16xbf16>
    %b = arith.constant dense<1.0> : tensor<16x8xbf16>
    %c = arith.constant dense<0.0> : tensor<16x8xf32>
    // expected-note @below {{use the atom 'simt', or leave the choice to 'tilus-select-atoms'}}
    // expected-error @below {{requires feature 'mma.bf16' (sm_80 or later), but the kernel targets sm_75}}
    %d = tilus.mma %a, %b, %c atom(<m16n8k16_bf16_bf16_f32>) : tensor<16x16xbf16>, tensor<16x8xbf16>, tensor<16x8xf32>
  }
}
