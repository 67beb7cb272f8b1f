// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of slices and conversions of tiles, and of random numbers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @extract_slice_offsets(%s: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.extract_slice' op expected one offset for each of the 1 'dims', but got 2}}
  %t = tilus.extract_slice %s[%i, %i] dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @extract_slice_dim(%s: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.extract_slice' op expected a dimension of 0 to 1, but got 2}}
  %t = tilus.extract_slice %s[%i] dims [2] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @extract_slice_order(%s: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.extract_slice' op expected ascending 'dims', but got 0 after 1}}
  %t = tilus.extract_slice %s[%i, %i] dims [1, 0] : tensor<4x8xf32> -> tensor<f32>
  return
}

// -----

func.func @extract_slice_result(%s: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.extract_slice' op expected a result of shape [], but got 8}}
  %t = tilus.extract_slice %s[%i, %i] dims [0, 1] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

func.func @insert_slice_offsets(%s: tensor<8xf32>, %d: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.insert_slice' op expected one offset for each of the 1 'dims', but got 0}}
  %t = tilus.insert_slice %s, %d[] dims [0] : tensor<8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @insert_slice_source(%s: tensor<8xf32>, %d: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.insert_slice' op expected a source of shape 4, but got 8}}
  %t = tilus.insert_slice %s, %d[%i] dims [1] : tensor<8xf32>, tensor<4x8xf32>
  return
}

// -----

func.func @insert_slice_element(%s: tensor<8xf16>, %d: tensor<4x8xf32>, %i: i32) {
  // expected-error @below {{'tilus.insert_slice' op expected a source of 'f32', but got 'f16'}}
  %t = tilus.insert_slice %s, %d[%i] dims [0] : tensor<8xf16>, tensor<4x8xf32>
  return
}

// -----

func.func @extract_size(%s: tensor<1x2xf32>) {
  // expected-error @below {{'tilus.extract' op expected a tile of one element, but got shape 1x2}}
  %v = tilus.extract %s : tensor<1x2xf32>
  return
}

// -----

func.func @extract_type(%s: tensor<1xf32>) {
  // expected-error @below {{'tilus.extract' op failed to verify that result is an element of the source}}
  %v = "tilus.extract"(%s) : (tensor<1xf32>) -> f16
  return
}

// -----

func.func @cast_shape(%s: tensor<4x8xf32>) {
  // expected-error @below {{'tilus.cast' op expected a result of shape 4x8, but got 8x4}}
  %t = tilus.cast %s : tensor<4x8xf32> -> tensor<8x4xf16>
  return
}

// -----

#threads = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>

func.func @cast_layout(%s: tensor<32xf32, #threads>) {
  // expected-error @below {{'tilus.cast' op expected source and result of one layout, but got 'tensor<32xf32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>' and 'tensor<32xf16>'}}
  %t = tilus.cast %s : tensor<32xf32, #threads> -> tensor<32xf16>
  return
}

// -----

func.func @cast_rounding(%s: tensor<4xf32>) {
  // expected-error @below {{'tilus.cast' op expected a float result where 'rounding' is given, but got 'i32'}}
  %t = tilus.cast %s rounding(down) : tensor<4xf32> -> tensor<4xi32>
  return
}

// -----

func.func @view_layouts(%s: tensor<32xf32>) {
  // expected-error @below {{'tilus.view' op expected layouts on both tiles, but got 'tensor<32xf32>' and 'tensor<32xi32>'}}
  %t = tilus.view %s : tensor<32xf32> -> tensor<32xi32>
  return
}

// -----

#pairs = #tilus.reg<shape = [64], modes = [32, 2], spatial = [0], local = [1]>
#threads = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>

func.func @view_bits(%s: tensor<64xf32, #pairs>) {
  // expected-error @below {{'tilus.view' op expected equal threads and bits a thread, but got 32 threads of 64 bits and 32 threads of 32 bits}}
  %t = tilus.view %s : tensor<64xf32, #pairs> -> tensor<32xi32, #threads>
  return
}

// -----

func.func @convert_layout_shape(%s: tensor<32xf32>) {
  // expected-error @below {{'tilus.convert_layout' op expected a result of shape 32, but got 4x8}}
  %t = tilus.convert_layout %s : tensor<32xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @convert_layout_element(%s: tensor<32xf32>) {
  // expected-error @below {{'tilus.convert_layout' op expected a result of 'f32', but got 'i32'}}
  %t = tilus.convert_layout %s : tensor<32xf32> -> tensor<32xi32>
  return
}

// -----

func.func @random_offset(%seed: i64, %i: tensor<4xi64>) {
  // expected-error @below {{'tilus.random' op expected offsets of i32, but got 'i64'}}
  %t = tilus.random %seed, %i : tensor<4xi64> -> tensor<4x4xi32>
  return
}

// -----

func.func @random_rounds(%seed: i64, %i: tensor<8xi32>) {
  // expected-error @below {{'tilus.random' op expected at least one round, but got -1}}
  %t = tilus.random %seed, %i rounds(-1) : tensor<8xi32> -> tensor<4x8xi32>
  return
}

// -----

func.func @random_shape(%seed: i64, %i: tensor<8xi32>) {
  // expected-error @below {{'tilus.random' op expected a result of shape 4x8, but got 8}}
  %t = tilus.random %seed, %i : tensor<8xi32> -> tensor<8xi32>
  return
}
