// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of shared tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @offset() {
  // expected-error @below {{'tilus.alloc_shared' op attribute 'offset' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  %s = tilus.alloc_shared offset(-16) : !tilus.shared<4x8xf16>
  return
}

// -----

func.func @free(%i: i32) {
  %s = tilus.alloc_shared : !tilus.shared<4x8xf16>
  // expected-note @below {{but got this value}}
  %t = tilus.slice_shared %s[%i] dims [0] : !tilus.shared<4x8xf16> -> !tilus.shared<8xf16>
  // expected-error @below {{'tilus.free_shared' op expected the result of 'tilus.alloc_shared'}}
  tilus.free_shared %t : !tilus.shared<8xf16>
  return
}

// -----

func.func @slice_offsets(%s: !tilus.shared<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.slice_shared' op expected one offset for each of the 1 'dims', but got 2}}
  %t = tilus.slice_shared %s[%i, %i] dims [0] : !tilus.shared<4x8xf16> -> !tilus.shared<8xf16>
  return
}

// -----

func.func @slice_dim(%s: !tilus.shared<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.slice_shared' op expected a dimension of 0 to 1, but got 5}}
  %t = tilus.slice_shared %s[%i] dims [5] : !tilus.shared<4x8xf16> -> !tilus.shared<8xf16>
  return
}

// -----

func.func @slice_shape(%s: !tilus.shared<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.slice_shared' op expected a result of shape 8, but got 4}}
  %t = tilus.slice_shared %s[%i] dims [0] : !tilus.shared<4x8xf16> -> !tilus.shared<4xf16>
  return
}

// -----

#rows = #tilus.smem<shape = [4, 8], modes = [4, 8], strides = [8, 1]>
#pairs = #tilus.smem<shape = [8], modes = [8], strides = [2]>

func.func @slice_layout(%s: !tilus.shared<4x8xf16, #rows>, %i: i32) {
  // expected-error @below {{'tilus.slice_shared' op expected a result of layout #tilus.smem<shape = [8], modes = [8], strides = [1]>, but got #tilus.smem<shape = [8], modes = [8], strides = [2]>}}
  %t = tilus.slice_shared %s[%i] dims [0] : !tilus.shared<4x8xf16, #rows> -> !tilus.shared<8xf16, #pairs>
  return
}

// -----

func.func @reshape_element(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.reshape_shared' op expected a result of 'f16', but got 'i16'}}
  %t = tilus.reshape_shared %s : !tilus.shared<4x8xf16> -> !tilus.shared<32xi16>
  return
}

// -----

func.func @reshape_size(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.reshape_shared' op expected a result of 32 elements, but got 4x4}}
  %t = tilus.reshape_shared %s : !tilus.shared<4x8xf16> -> !tilus.shared<4x4xf16>
  return
}

// -----

#padded = #tilus.smem<shape = [4, 6], modes = [4, 6], strides = [8, 1]>
#dense = #tilus.smem<shape = [3, 8], modes = [3, 8], strides = [8, 1]>

func.func @reshape_layout(%s: !tilus.shared<4x6xf16, #padded>) {
  // expected-error @below {{'tilus.reshape_shared' op expected a source whose layout allows the view, but got #tilus.smem<shape = [4, 6], modes = [4, 6], strides = [8, 1]>}}
  %t = tilus.reshape_shared %s : !tilus.shared<4x6xf16, #padded> -> !tilus.shared<3x8xf16, #dense>
  return
}

// -----

func.func @permute_element(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.permute_shared' op expected a result of 'f16', but got 'f32'}}
  %t = tilus.permute_shared %s [1, 0] : !tilus.shared<4x8xf16> -> !tilus.shared<8x4xf32>
  return
}

// -----

func.func @permute_permutation(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.permute_shared' op expected a permutation of the 2 dimensions, but got [0]}}
  %t = tilus.permute_shared %s [0] : !tilus.shared<4x8xf16> -> !tilus.shared<4xf16>
  return
}

// -----

func.func @permute_shape(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.permute_shared' op expected a result of shape 8x4, but got 4x8}}
  %t = tilus.permute_shared %s [1, 0] : !tilus.shared<4x8xf16> -> !tilus.shared<4x8xf16>
  return
}

// -----

#rows = #tilus.smem<shape = [4, 8], modes = [4, 8], strides = [8, 1]>
#other = #tilus.smem<shape = [8, 4], modes = [8, 4], strides = [4, 1]>

func.func @permute_layout(%s: !tilus.shared<4x8xf16, #rows>) {
  // expected-error @below {{'tilus.permute_shared' op expected a result of layout #tilus.smem<shape = [8, 4], modes = [8, 4], strides = [1, 8]>, but got #tilus.smem<shape = [8, 4], modes = [8, 4], strides = [4, 1]>}}
  %t = tilus.permute_shared %s [1, 0] : !tilus.shared<4x8xf16, #rows> -> !tilus.shared<8x4xf16, #other>
  return
}

// -----

func.func @load_shape(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.load_shared' op expected a result of shape 4x8, but got 8x4}}
  %t = tilus.load_shared %s : !tilus.shared<4x8xf16> -> tensor<8x4xf16>
  return
}

// -----

func.func @load_element(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{'tilus.load_shared' op expected a result of 'f16', but got 'f32'}}
  %t = tilus.load_shared %s : !tilus.shared<4x8xf16> -> tensor<4x8xf32>
  return
}

// -----

func.func @load_access(%s: !tilus.shared<4x8xf16>) {
  // expected-error @below {{custom op 'tilus.load_shared' expected string or keyword containing one of the following enum values for attribute 'access' [vector, matrix, matrix_trans]}}
  %t = tilus.load_shared %s access(tensor) : !tilus.shared<4x8xf16> -> tensor<4x8xf16>
  return
}

// -----

func.func @store_shape(%s: !tilus.shared<4x8xf16>, %t: tensor<32xf16>) {
  // expected-error @below {{'tilus.store_shared' op expected a value of shape 4x8, but got 32}}
  tilus.store_shared %t, %s : tensor<32xf16>, !tilus.shared<4x8xf16>
  return
}

// -----

func.func @store_element(%s: !tilus.shared<4x8xf16>, %t: tensor<4x8xi16>) {
  // expected-error @below {{'tilus.store_shared' op expected a value of 'f16', but got 'i16'}}
  tilus.store_shared %t, %s : tensor<4x8xi16>, !tilus.shared<4x8xf16>
  return
}
