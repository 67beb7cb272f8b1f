// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of asynchronous copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @offsets(%v: !tilus.global<?x64xf16>, %s: !tilus.shared<32x64xf16>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected one offset for each of the 2 dimensions of the view, but got 1}}
  tilus.copy_async %v[%i], %s : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  return
}

// -----

func.func @element(%v: !tilus.global<?x64xf16>, %s: !tilus.shared<32x64xf32>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected a tile of the view's element type 'f16', but got 'f32'}}
  tilus.copy_async %v[%i, %i], %s : !tilus.global<?x64xf16>, !tilus.shared<32x64xf32>
  return
}

// -----

func.func @rank(%v: !tilus.global<?xf16>, %s: !tilus.shared<32x64xf16>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected a tile of at most the view's rank 1, but got rank 2}}
  tilus.copy_async %v[%i], %s : !tilus.global<?xf16>, !tilus.shared<32x64xf16>
  return
}

// -----

func.func @dims(%v: !tilus.global<?x64xf16>, %s: !tilus.shared<32x64xf16>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected one of 'dims' for each of the 2 dimensions of the tile, but got 3}}
  tilus.copy_async %v[%i, %i], %s dims [0, 1, 0] : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  return
}

// -----

func.func @dim(%v: !tilus.global<?x64xf16>, %s: !tilus.shared<32x64xf16>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected a dimension of 0 to 1, but got 2}}
  tilus.copy_async %v[%i, %i], %s dims [0, 2] : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  return
}

// -----

func.func @repeated(%v: !tilus.global<?x64xf16>, %s: !tilus.shared<32x64xf16>, %i: i32) {
  // expected-error @below {{'tilus.copy_async' op expected distinct 'dims', but got 0 twice}}
  tilus.copy_async %v[%i, %i], %s dims [0, 0] : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  return
}

// -----

func.func @pending() {
  // expected-error @below {{'tilus.copy_async.wait_group' op attribute 'pending' failed to satisfy constraint: 32-bit signless integer attribute whose value is non-negative}}
  tilus.copy_async.wait_group -1
  return
}

// -----

func.func @groups() {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{'tilus.copy_async.commit_group' op requires zero operands}}
  "tilus.copy_async.commit_group"(%c0) : (i32) -> ()
  return
}

// -----

func.func @all() {
  // expected-error @below {{'tilus.copy_async.wait_all' op requires zero results}}
  %t = "tilus.copy_async.wait_all"() : () -> i32
  return
}
