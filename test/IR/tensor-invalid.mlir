// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of making, reshaping and combining tiles. Slices and conversions: tensor-convert-invalid.mlir.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @broadcast_element(%s: f32) {
  // expected-error @below {{'tilus.broadcast' op expected a result of 'f32', but got 'f16'}}
  %t = tilus.broadcast %s : f32 -> tensor<4xf16>
  return
}

// -----

func.func @broadcast_shape(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.broadcast' op expected a shape that stretches to 4x16, but got 4x8}}
  %t = tilus.broadcast %s : tensor<4x8xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @broadcast_rank(%s: tensor<1x4xf32>) {
  // expected-error @below {{'tilus.broadcast' op expected a shape that stretches to 4, but got 1x4}}
  %t = tilus.broadcast %s : tensor<1x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @tile_rank(%s: f32) {
  // expected-error @below {{'tilus.broadcast' op result #0 must be tile (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements of a type that '!tilus.ptr' takes, and no encoding but '#tilus.reg'), but got 'tensor<1x1x1x1x1x1xf32>'}}
  %t = tilus.broadcast %s : f32 -> tensor<1x1x1x1x1x1xf32>
  return
}

// -----

func.func @tile_dynamic(%s: f32) {
  // expected-error @below {{must be tile (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements of a type that '!tilus.ptr' takes, and no encoding but '#tilus.reg'), but got 'tensor<?xf32>'}}
  %t = tilus.broadcast %s : f32 -> tensor<?xf32>
  return
}

// -----

func.func @tile_size(%s: f32) {
  // expected-error @below {{must be tile (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements of a type that '!tilus.ptr' takes, and no encoding but '#tilus.reg'), but got 'tensor<4194304x4194304x4194304xf32>'}}
  %t = tilus.broadcast %s : f32 -> tensor<4194304x4194304x4194304xf32>
  return
}

// -----

func.func @iota_dim() {
  // expected-error @below {{'tilus.iota' op expected a dimension of 0 to 1, but got 2}}
  %t = tilus.iota dim(2) : tensor<4x8xi32>
  return
}

// -----

func.func @iota_rank() {
  // expected-error @below {{'tilus.iota' op expected a value of rank 1 or more, but got rank 0}}
  %t = tilus.iota dim(0) : tensor<i32>
  return
}

// -----

func.func @iota_float() {
  // expected-error @below {{'tilus.iota' op result #0 must be tile of integers (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements, and no encoding but '#tilus.reg'), but got 'tensor<4xf32>'}}
  %t = tilus.iota dim(0) : tensor<4xf32>
  return
}

// -----

func.func @reshape_element(%s: tensor<8xf32>) {
  // expected-error @below {{'tilus.reshape' op expected a result of 'f32', but got 'i32'}}
  %t = tilus.reshape %s : tensor<8xf32> -> tensor<2x4xi32>
  return
}

// -----

func.func @reshape_size(%s: tensor<8xf32>) {
  // expected-error @below {{'tilus.reshape' op expected a result of 8 elements, but got 2x5}}
  %t = tilus.reshape %s : tensor<8xf32> -> tensor<2x5xf32>
  return
}

// -----

func.func @transpose_element(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.transpose' op expected a result of 'f32', but got 'f16'}}
  %t = tilus.transpose %s [1, 0] : tensor<4x8xf32> -> tensor<8x4xf16>
  return
}

// -----

func.func @transpose_permutation(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.transpose' op expected a permutation of the 2 dimensions, but got [1, 1]}}
  %t = tilus.transpose %s [1, 1] : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @transpose_shape(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.transpose' op expected a result of shape 8x4, but got 4x8}}
  %t = tilus.transpose %s [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @reduce_dim(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.reduce' op expected a dimension of 0 to 1, but got -1}}
  %t = tilus.reduce add, %s dim(-1) : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// There is no greatest of no elements.
func.func @reduce_empty(%s: tensor<0x4xf32>) {
  // expected-error @below {{'tilus.reduce' op operand #0 must be tile (a tensor of rank 0 to 5 with static positive sizes, at most 2^40 elements of a type that '!tilus.ptr' takes, and no encoding but '#tilus.reg'), but got 'tensor<0x4xf32>'}}
  %t = tilus.reduce max, %s dim(0) : tensor<0x4xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_float(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.reduce' op expected an element type that 'xor' combines, but got 'f32'}}
  %t = tilus.reduce xor, %s dim(1) : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_integer(%s: tensor<4x8xi32>) {
  // expected-error @below {{'tilus.reduce' op expected an element type that 'maxnum' combines, but got 'i32'}}
  %t = tilus.reduce maxnum, %s dim(1) : tensor<4x8xi32> -> tensor<4xi32>
  return
}

// -----

func.func @reduce_shape(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.reduce' op expected a result of shape 4x1, but got 4}}
  %t = tilus.reduce add, %s dim(1) keep_dim : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @reduce_element(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.reduce' op expected a result of 'f32', but got 'f64'}}
  %t = tilus.reduce add, %s dim(1) : tensor<4x8xf32> -> tensor<4xf64>
  return
}

// -----

func.func @reduce_kind(%s: tensor<4x8xf32>) {
  // expected-error @below {{custom op 'tilus.reduce' expected string or keyword containing one of the following enum values for attribute 'kind' [add, mul, max, min, umax, umin, maxnum, minnum, and, or, xor]}}
  %t = tilus.reduce sum, %s dim(1) : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

func.func @scan_dim(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.scan' op expected a dimension of 0 to 1, but got 2}}
  %t = tilus.scan add, %s dim(2) : tensor<4x8xf32>
  return
}

// -----

func.func @scan_element(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.scan' op expected an element type that 'and' combines, but got 'f32'}}
  %t = tilus.scan and, %s dim(1) : tensor<4x8xf32>
  return
}
