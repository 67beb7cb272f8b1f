// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of views of global memory and of the accesses to them. Shared tiles: shared-invalid.mlir.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @view_element(%x: !tilus.ptr<f16>) {
  // expected-error @below {{'tilus.global_view' op expected a view of 'f16', but got 'f32'}}
  %v = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<4xf32>
  return
}

// -----

func.func @view_sizes(%x: !tilus.ptr<f16>, %n: i32) {
  // expected-error @below {{'tilus.global_view' op expected one operand for each of the 2 dynamic sizes, but got 1}}
  %v = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  return
}

// -----

func.func @view_strides(%x: !tilus.ptr<f16>, %n: i32) {
  // expected-error @below {{'tilus.global_view' op expected one operand for each of the 1 dynamic strides, but got 0}}
  %v = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?x4xf16, strides = [?, 1]>
  return
}

// -----

func.func @slice_offsets(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected one offset for each of the 1 'dims', but got 0}}
  %r = tilus.slice_global %v[] dims [0] : !tilus.global<4x8xf16> -> !tilus.global<8xf16>
  return
}

// -----

func.func @slice_dim(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected a dimension of 0 to 1, but got 2}}
  %r = tilus.slice_global %v[%n] dims [2] : !tilus.global<4x8xf16> -> !tilus.global<8xf16>
  return
}

// -----

func.func @slice_order(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected ascending 'dims', but got 0 after 0}}
  %r = tilus.slice_global %v[%n, %n] dims [0, 0] : !tilus.global<4x8xf16> -> !tilus.global<8xf16>
  return
}

// -----

func.func @slice_shape(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected a result of shape 8, but got 4}}
  %r = tilus.slice_global %v[%n] dims [0] : !tilus.global<4x8xf16> -> !tilus.global<4xf16>
  return
}

// -----

func.func @slice_element(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected a result of 'f16', but got 'i16'}}
  %r = tilus.slice_global %v[%n] dims [0] : !tilus.global<4x8xf16> -> !tilus.global<8xi16>
  return
}

// -----

func.func @slice_strides(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.slice_global' op expected a result with the strides of the kept dimensions, 8, but got 1}}
  %r = tilus.slice_global %v[%n] dims [1] : !tilus.global<4x8xf16> -> !tilus.global<4xf16>
  return
}

// -----

tilus.kernel @workspace_strides(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.alloc_global' op expected a dense row-major workspace, but got '!tilus.global<4xf32, strides = [2]>'}}
  %w = tilus.alloc_global [] : !tilus.global<4xf32, strides = [2]>
}

// -----

tilus.kernel @workspace_sizes(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.alloc_global' op expected one operand for each of the 0 dynamic sizes, but got 1}}
  %w = tilus.alloc_global [%n] : !tilus.global<4xf32>
}

// -----

func.func @workspace_place() {
  // expected-error @below {{'tilus.alloc_global' op expects parent op 'tilus.kernel'}}
  %w = tilus.alloc_global [] : !tilus.global<4xf32>
  return
}

// -----

func.func @load_offsets(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected one offset for each of the 2 dimensions of the view, but got 1}}
  %t = tilus.load_global %v[%i] : !tilus.global<4x8xf16> -> tensor<8xf16>
  return
}

// -----

func.func @load_element(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected a tile of the view's element type 'f16', but got 'f32'}}
  %t = tilus.load_global %v[%i, %i] : !tilus.global<4x8xf16> -> tensor<8xf32>
  return
}

// -----

func.func @load_rank(%v: !tilus.global<4xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected a tile of at most the view's rank 1, but got rank 2}}
  %t = tilus.load_global %v[%i] : !tilus.global<4xf16> -> tensor<2x8xf16>
  return
}

// -----

func.func @load_dims(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected one of 'dims' for each of the 2 dimensions of the tile, but got 1}}
  %t = tilus.load_global %v[%i, %i] dims [0] : !tilus.global<4x8xf16> -> tensor<4x8xf16>
  return
}

// -----

func.func @load_dim(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected a dimension of 0 to 1, but got -1}}
  %t = tilus.load_global %v[%i, %i] dims [-1] : !tilus.global<4x8xf16> -> tensor<8xf16>
  return
}

// -----

func.func @load_repeated(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{'tilus.load_global' op expected distinct 'dims', but got 1 twice}}
  %t = tilus.load_global %v[%i, %i] dims [1, 1] : !tilus.global<4x8xf16> -> tensor<8x8xf16>
  return
}

// -----

func.func @load_cache(%v: !tilus.global<4x8xf16>, %i: i32) {
  // expected-error @below {{custom op 'tilus.load_global' expected string or keyword containing one of the following enum values for attribute 'cache' [default, streaming, global, evict_first, evict_last, read_only]}}
  %t = tilus.load_global %v[%i, %i] cache(none) : !tilus.global<4x8xf16> -> tensor<8xf16>
  return
}

// -----

func.func @store_offsets(%v: !tilus.global<4x8xf16>, %t: tensor<8xf16>) {
  // expected-error @below {{'tilus.store_global' op expected one offset for each of the 2 dimensions of the view, but got 0}}
  tilus.store_global %t, %v[] : tensor<8xf16>, !tilus.global<4x8xf16>
  return
}

// -----

func.func @store_element(%v: !tilus.global<4x8xf16>, %t: tensor<8xbf16>, %i: i32) {
  // expected-error @below {{'tilus.store_global' op expected a tile of the view's element type 'f16', but got 'bf16'}}
  tilus.store_global %t, %v[%i, %i] : tensor<8xbf16>, !tilus.global<4x8xf16>
  return
}

// -----

func.func @store_offset_type(%v: !tilus.global<4xf16>, %t: tensor<4xf16>, %i: f32) {
  // expected-error @below {{'tilus.store_global' op operand #2 must be variadic of integer or index, but got 'f32'}}
  tilus.store_global %t, %v[%i : f32] : tensor<4xf16>, !tilus.global<4xf16>
  return
}

// -----

func.func @element_pointer_offsets(%v: !tilus.global<4x8xf16>, %n: i32) {
  // expected-error @below {{'tilus.element_pointer' op expected one offset for each of the 2 dimensions of the view, but got 1}}
  %p = tilus.element_pointer %v[%n] : !tilus.global<4x8xf16>
  return
}

// -----

func.func @pointer_cast_operand(%v: !tilus.global<4x8xf16>) {
  // expected-error @below {{'tilus.pointer_cast' op operand #0 must be pointer, but got '!tilus.global<4x8xf16>'}}
  %p = "tilus.pointer_cast"(%v) : (!tilus.global<4x8xf16>) -> !tilus.ptr<f16>
  return
}
