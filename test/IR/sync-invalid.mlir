// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of barriers and semaphores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @lock_element(%locks: !tilus.global<?xi64>, %i: i32) {
  // expected-error @below {{'tilus.semaphore_lock' op expected a view of i32, but got 'i64'}}
  tilus.semaphore_lock %locks[%i], %i : !tilus.global<?xi64>
  return
}

// -----

func.func @lock_offsets(%locks: !tilus.global<?xi32>, %i: i32) {
  // expected-error @below {{'tilus.semaphore_lock' op expected one offset for each of the 1 dimensions of the view, but got 2}}
  tilus.semaphore_lock %locks[%i, %i], %i : !tilus.global<?xi32>
  return
}

// -----

func.func @release_element(%locks: !tilus.global<?xf32>, %i: i32) {
  // expected-error @below {{'tilus.semaphore_release' op expected a view of i32, but got 'f32'}}
  tilus.semaphore_release %locks[%i], %i : !tilus.global<?xf32>
  return
}

// -----

func.func @release_offsets(%locks: !tilus.global<?xi32>, %i: i32) {
  // expected-error @below {{'tilus.semaphore_release' op expected one offset for each of the 1 dimensions of the view, but got 0}}
  tilus.semaphore_release %locks[], %i : !tilus.global<?xi32>
  return
}

// -----

func.func @sync() {
  // expected-error @below {{'tilus.sync' op requires zero regions}}
  "tilus.sync"() ({}) : () -> ()
  return
}
