// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of atomic updates and scattered stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @element(%v: !tilus.global<?xi16>, %t: tensor<32xi16>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected i32 or i64 (or a float of 16 to 64 bits for 'add' and 'sub', of 32 or 64 for 'exch'), but got 'add' on 'i16'}}
  tilus.atomic add, %v[%i], %t : !tilus.global<?xi16>, tensor<32xi16>
  return
}

// -----

func.func @float_kind(%v: !tilus.global<?xf32>, %t: tensor<32xf32>, %i: i32) {
  // expected-error @below {{but got 'max' on 'f32'}}
  tilus.atomic max, %v[%i], %t : !tilus.global<?xf32>, tensor<32xf32>
  return
}

// -----

func.func @cas(%v: !tilus.global<?xi32>, %t: tensor<32xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected 'compare' with 'cas' and only with it}}
  tilus.atomic cas, %v[%i], %t : !tilus.global<?xi32>, tensor<32xi32>
  return
}

// -----

func.func @compare(%v: !tilus.global<?xi32>, %t: tensor<32xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected 'compare' with 'cas' and only with it}}
  tilus.atomic add, %v[%i], %t compare(%t : tensor<32xi32>) : !tilus.global<?xi32>, tensor<32xi32>
  return
}

// -----

func.func @compare_type(%v: !tilus.global<?xi32>, %t: tensor<32xi32>, %u: tensor<16xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected all tiles of type 'tensor<32xi32>', but got 'tensor<16xi32>'}}
  tilus.atomic cas, %v[%i], %t compare(%u : tensor<16xi32>) : !tilus.global<?xi32>, tensor<32xi32>
  return
}

// -----

func.func @result_type(%v: !tilus.global<?xi32>, %t: tensor<32xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected all tiles of type 'tensor<32xi32>', but got 'tensor<32xi64>'}}
  %o = tilus.atomic add, %v[%i], %t : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi64>
  return
}

// -----

func.func @view_offsets(%v: !tilus.global<?xi32>, %t: tensor<32xi32>) {
  // expected-error @below {{'tilus.atomic' op expected one offset for each of the 1 dimensions of the view, but got 0}}
  tilus.atomic add, %v, %t : !tilus.global<?xi32>, tensor<32xi32>
  return
}

// -----

func.func @view_element(%v: !tilus.global<?xi32>, %t: tensor<32xf32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected a tile of the view's element type 'i32', but got 'f32'}}
  tilus.atomic add, %v[%i], %t : !tilus.global<?xi32>, tensor<32xf32>
  return
}

// -----

func.func @view_rank(%v: !tilus.global<?xi32>, %t: tensor<4x32xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected a tile of at most the view's rank 1, but got rank 2}}
  tilus.atomic add, %v[%i], %t : !tilus.global<?xi32>, tensor<4x32xi32>
  return
}

// -----

func.func @shared_offsets(%s: !tilus.shared<32xi32>, %t: tensor<32xi32>, %i: i32) {
  // expected-error @below {{'tilus.atomic' op expected no offsets for a shared tile, but got 1}}
  tilus.atomic add, %s[%i], %t : !tilus.shared<32xi32>, tensor<32xi32>
  return
}

// -----

func.func @shared_shape(%s: !tilus.shared<32xi32>, %t: tensor<16xi32>) {
  // expected-error @below {{'tilus.atomic' op expected a value of shape 32, but got 16}}
  tilus.atomic add, %s, %t : !tilus.shared<32xi32>, tensor<16xi32>
  return
}

// -----

func.func @shared_element(%s: !tilus.shared<32xi32>, %t: tensor<32xi64>) {
  // expected-error @below {{'tilus.atomic' op expected a value of 'i32', but got 'i64'}}
  tilus.atomic add, %s, %t : !tilus.shared<32xi32>, tensor<32xi64>
  return
}

// -----

func.func @kind(%s: !tilus.shared<32xi32>, %t: tensor<32xi32>) {
  // expected-error @below {{custom op 'tilus.atomic' expected string or keyword containing one of the following enum values for attribute 'kind' [add, sub, max, min, umax, umin, and, or, xor, exch, cas]}}
  tilus.atomic mul, %s, %t : !tilus.shared<32xi32>, tensor<32xi32>
  return
}

// -----

func.func @scatter_element(%s: !tilus.shared<32xi8>, %i: tensor<32xi32>, %t: tensor<32xi8>) {
  // expected-error @below {{'tilus.atomic_scatter' op expected i32 or i64 (or a float of 16 to 64 bits for 'add' and 'sub', of 32 or 64 for 'exch'), but got 'or' on 'i8'}}
  tilus.atomic_scatter or, %s dim(0), %i, %t : !tilus.shared<32xi8>, tensor<32xi32>, tensor<32xi8>
  return
}

// -----

func.func @scatter_kind(%s: !tilus.shared<32xi32>, %i: tensor<32xi32>, %t: tensor<32xi32>) {
  // expected-error @below {{'tilus.atomic_scatter' op expected an operation whose order does not matter, but got 'exch'}}
  tilus.atomic_scatter exch, %s dim(0), %i, %t : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>
  return
}

// -----

func.func @scatter_result(%s: !tilus.shared<32xi32>, %i: tensor<32xi32>, %t: tensor<32xi32>) {
  // expected-error @below {{'tilus.atomic_scatter' op expected a result of type 'tensor<32xi32>', but got 'tensor<16xi32>'}}
  %o = tilus.atomic_scatter add, %s dim(0), %i, %t : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32> -> tensor<16xi32>
  return
}

// -----

func.func @scatter_dim(%s: !tilus.shared<32xi32>, %i: tensor<32xi32>, %t: tensor<32xi32>) {
  // expected-error @below {{'tilus.atomic_scatter' op expected a dimension of 0 to 0, but got 1}}
  tilus.atomic_scatter add, %s dim(1), %i, %t : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>
  return
}

// -----

func.func @store_dim(%v: !tilus.global<i32>, %i: tensor<i32>, %t: tensor<i32>) {
  // expected-error @below {{'tilus.store_scatter' op expected a value of rank 1 or more, but got rank 0}}
  tilus.store_scatter %v dim(0), %i, %t : !tilus.global<i32>, tensor<i32>, tensor<i32>
  return
}

// -----

func.func @store_rank(%s: !tilus.shared<4x8xi32>, %i: tensor<8xi32>, %t: tensor<8xi32>) {
  // expected-error @below {{'tilus.store_scatter' op expected a value of the destination's rank 2, but got 1}}
  tilus.store_scatter %s dim(0), %i, %t : !tilus.shared<4x8xi32>, tensor<8xi32>, tensor<8xi32>
  return
}

// -----

func.func @store_element(%s: !tilus.shared<8xi32>, %i: tensor<8xi32>, %t: tensor<8xf32>) {
  // expected-error @below {{'tilus.store_scatter' op expected a value of 'i32', but got 'f32'}}
  tilus.store_scatter %s dim(0), %i, %t : !tilus.shared<8xi32>, tensor<8xi32>, tensor<8xf32>
  return
}

// -----

func.func @store_indices(%s: !tilus.shared<8xi32>, %i: tensor<4xi32>, %t: tensor<8xi32>) {
  // expected-error @below {{'tilus.store_scatter' op expected indices of the value's shape and layout, but got 'tensor<4xi32>' and 'tensor<8xi32>'}}
  tilus.store_scatter %s dim(0), %i, %t : !tilus.shared<8xi32>, tensor<4xi32>, tensor<8xi32>
  return
}

// -----

func.func @store_size(%s: !tilus.shared<4x8xi32>, %i: tensor<2x4xi32>, %t: tensor<2x4xi32>) {
  // expected-error @below {{'tilus.store_scatter' op expected the destination's size 8 in dimension 1, but got 4}}
  tilus.store_scatter %s dim(0), %i, %t : !tilus.shared<4x8xi32>, tensor<2x4xi32>, tensor<2x4xi32>
  return
}
