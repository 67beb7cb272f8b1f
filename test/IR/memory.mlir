// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Views, shared tiles, loads and stores, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @views(
// CHECK-NEXT:    tilus.global_view %{{.*}} [%{{.*}}, %{{.*}} : i64] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
// CHECK-NEXT:    tilus.global_view %{{.*}} [%{{.*}}] strides [%{{.*}} : i64] : !tilus.ptr<f16> -> !tilus.global<?x64xf16, strides = [?, 1]>
// CHECK-NEXT:    tilus.global_view %{{.*}} : !tilus.ptr<f16> -> !tilus.global<8x4xf16>
// CHECK-NEXT:    tilus.global_view %{{.*}} : !tilus.ptr<f16> -> !tilus.global<f16>
// CHECK-NEXT:    tilus.slice_global %{{.*}}[%{{.*}}] dims [0] : !tilus.global<?x64xf16, strides = [?, 1]> -> !tilus.global<64xf16>
// CHECK-NEXT:    tilus.slice_global %{{.*}}[] dims [] : !tilus.global<8x4xf16> -> !tilus.global<8x4xf16>
// GENERIC:       "tilus.global_view"(%{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!tilus.ptr<f16>, i32, i64) -> !tilus.global<?x?xf16>
// GENERIC:       "tilus.global_view"(%{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!tilus.ptr<f16>, i32, i64) -> !tilus.global<?x64xf16, strides = [?, 1]>
// GENERIC:       "tilus.slice_global"(%{{.*}}, %{{.*}}) <{dims = array<i64: 0>}>
func.func @views(%x: !tilus.ptr<f16>, %m: i32, %n: i64) {
  %a = tilus.global_view %x [%m, %n : i64] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %b = tilus.global_view %x [%m] strides [%n : i64] : !tilus.ptr<f16> -> !tilus.global<?x64xf16, strides = [?, 1]>
  %c = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<8x4xf16>
  %d = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<f16>
  %row = tilus.slice_global %b[%m] dims [0] : !tilus.global<?x64xf16, strides = [?, 1]> -> !tilus.global<64xf16>
  %all = tilus.slice_global %c[] dims [] : !tilus.global<8x4xf16> -> !tilus.global<8x4xf16>
  return
}

// CHECK-LABEL: func.func @pointers(
// CHECK-NEXT:    tilus.pointer_cast %{{.*}} : !tilus.ptr<i8> -> !tilus.ptr<f16>
// CHECK-NEXT:    tilus.global_view %{{.*}} [%{{.*}}] : !tilus.ptr<f16> -> !tilus.global<?x4xf16>
// CHECK-NEXT:    tilus.element_pointer %{{.*}}[%{{.*}} : i64, %{{.*}}] : !tilus.global<?x4xf16>
// GENERIC:       "tilus.pointer_cast"(%{{.*}}) : (!tilus.ptr<i8>) -> !tilus.ptr<f16>
// GENERIC:       "tilus.element_pointer"(%{{.*}}, %{{.*}}, %{{.*}}) : (!tilus.global<?x4xf16>, i64, i32) -> !tilus.ptr<f16>
func.func @pointers(%x: !tilus.ptr<i8>, %m: i32, %n: i64) {
  %halves = tilus.pointer_cast %x : !tilus.ptr<i8> -> !tilus.ptr<f16>
  %view = tilus.global_view %halves [%m] : !tilus.ptr<f16> -> !tilus.global<?x4xf16>
  %element = tilus.element_pointer %view[%n : i64, %m] : !tilus.global<?x4xf16>
  return
}

// CHECK-LABEL: tilus.kernel @workspace(
// CHECK:         tilus.alloc_global [%m] clean : !tilus.global<?xi32>
// CHECK-NEXT:    tilus.alloc_global [] : !tilus.global<4x8xf32>
// GENERIC:       "tilus.alloc_global"(%{{.*}}) <{clean}> : (i32) -> !tilus.global<?xi32>
// GENERIC:       "tilus.alloc_global"() : () -> !tilus.global<4x8xf32>
tilus.kernel @workspace(%m: i32) warps(1) grid {
  tilus.grid [%m]
} {
  %locks = tilus.alloc_global [%m] clean : !tilus.global<?xi32>
  %sums = tilus.alloc_global [] : !tilus.global<4x8xf32>
}

// CHECK-LABEL: func.func @global(
// CHECK-NEXT:    tilus.load_global %{{.*}}[%{{.*}}, %{{.*}} : i64] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
// CHECK-NEXT:    tilus.load_global %{{.*}}[%{{.*}}, %{{.*}}] dims [0] cache(streaming) : !tilus.global<?x?xf16> -> tensor<64xf16>
// CHECK-NEXT:    tilus.store_global %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x32xf16>, !tilus.global<?x?xf16>
// CHECK-NEXT:    tilus.store_global %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] dims [0] cache(evict_last) : tensor<64xf16>, !tilus.global<?x?xf16>
// CHECK-NEXT:    tilus.load_global %{{.*}}[] : !tilus.global<i8> -> tensor<i8>
// GENERIC:       "tilus.load_global"(%{{.*}}, %{{.*}}, %{{.*}}) <{cache = 0 : i32}> : (!tilus.global<?x?xf16>, i32, i64) -> tensor<64x32xf16>
// GENERIC:       "tilus.load_global"(%{{.*}}, %{{.*}}, %{{.*}}) <{cache = 1 : i32, dims = array<i64: 0>}> : (!tilus.global<?x?xf16>, i32, i32) -> tensor<64xf16>
// GENERIC:       "tilus.store_global"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{cache = 0 : i32}> : (tensor<64x32xf16>, !tilus.global<?x?xf16>, i32, i32) -> ()
func.func @global(%v: !tilus.global<?x?xf16>, %p: !tilus.global<i8>, %m: i32, %n: i64) {
  %t = tilus.load_global %v[%m, %n : i64] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
  %u = tilus.load_global %v[%m, %m] dims [0] cache(streaming) : !tilus.global<?x?xf16> -> tensor<64xf16>
  tilus.store_global %t, %v[%m, %m] : tensor<64x32xf16>, !tilus.global<?x?xf16>
  tilus.store_global %u, %v[%m, %m] dims [0] cache(evict_last) : tensor<64xf16>, !tilus.global<?x?xf16>
  %point = tilus.load_global %p[] : !tilus.global<i8> -> tensor<i8>
  return
}

#rows = #tilus.smem<shape = [3, 64, 32], modes = [3, 64, 32], strides = [2048, 32, 1]>
#tile = #tilus.smem<shape = [64, 32], modes = [64, 32], strides = [32, 1]>
#columns = #tilus.smem<shape = [32, 64], modes = [32, 64], strides = [1, 32]>
#line = #tilus.smem<shape = [2048], modes = [2048], strides = [1]>

// Views without layouts, and with those that follow from the source's.
// CHECK-LABEL: func.func @shared(
// CHECK-NEXT:    %[[S:.*]] = tilus.alloc_shared : !tilus.shared<3x64x32xf16>
// CHECK-NEXT:    %[[P:.*]] = tilus.alloc_shared offset(128) : !tilus.shared<3x64x32xf16, #[[ROWS:.*]]>
// CHECK-NEXT:    tilus.slice_shared %[[S]][%{{.*}}] dims [0] : !tilus.shared<3x64x32xf16> -> !tilus.shared<64x32xf16>
// CHECK-NEXT:    %[[T:.*]] = tilus.slice_shared %[[P]][%{{.*}} : index] dims [0] : !tilus.shared<3x64x32xf16, #[[ROWS]]> -> !tilus.shared<64x32xf16, #[[TILE:.*]]>
// CHECK-NEXT:    tilus.reshape_shared %[[T]] : !tilus.shared<64x32xf16, #[[TILE]]> -> !tilus.shared<2048xf16, #[[LINE:.*]]>
// CHECK-NEXT:    tilus.permute_shared %[[T]] [1, 0] : !tilus.shared<64x32xf16, #[[TILE]]> -> !tilus.shared<32x64xf16, #[[COLUMNS:.*]]>
// CHECK-NEXT:    %[[R:.*]] = tilus.load_shared %[[T]] : !tilus.shared<64x32xf16, #[[TILE]]> -> tensor<64x32xf16>
// CHECK-NEXT:    tilus.load_shared %[[T]] access(matrix_trans) : !tilus.shared<64x32xf16, #[[TILE]]> -> tensor<64x32xf16>
// CHECK-NEXT:    tilus.store_shared %[[R]], %[[T]] : tensor<64x32xf16>, !tilus.shared<64x32xf16, #[[TILE]]>
// CHECK-NEXT:    tilus.store_shared %[[R]], %[[T]] access(matrix) : tensor<64x32xf16>, !tilus.shared<64x32xf16, #[[TILE]]>
// CHECK-NEXT:    tilus.free_shared %[[S]] : !tilus.shared<3x64x32xf16>
// GENERIC:       "tilus.alloc_shared"() : () -> !tilus.shared<3x64x32xf16>
// GENERIC:       "tilus.alloc_shared"() <{offset = 128 : i64}> : () -> !tilus.shared<3x64x32xf16, #{{.*}}>
// GENERIC:       "tilus.slice_shared"(%{{.*}}, %{{.*}}) <{dims = array<i64: 0>}>
// GENERIC:       "tilus.reshape_shared"(%{{.*}})
// GENERIC:       "tilus.permute_shared"(%{{.*}}) <{permutation = array<i64: 1, 0>}>
// GENERIC:       "tilus.load_shared"(%{{.*}}) <{access = 2 : i32}>
// GENERIC:       "tilus.store_shared"(%{{.*}}, %{{.*}}) <{access = 1 : i32}>
// GENERIC:       "tilus.free_shared"(%{{.*}})
func.func @shared(%i: i32, %j: index) {
  %s = tilus.alloc_shared : !tilus.shared<3x64x32xf16>
  %p = tilus.alloc_shared offset(128) : !tilus.shared<3x64x32xf16, #rows>
  %a = tilus.slice_shared %s[%i] dims [0] : !tilus.shared<3x64x32xf16> -> !tilus.shared<64x32xf16>
  %t = tilus.slice_shared %p[%j : index] dims [0] : !tilus.shared<3x64x32xf16, #rows> -> !tilus.shared<64x32xf16, #tile>
  %l = tilus.reshape_shared %t : !tilus.shared<64x32xf16, #tile> -> !tilus.shared<2048xf16, #line>
  %c = tilus.permute_shared %t [1, 0] : !tilus.shared<64x32xf16, #tile> -> !tilus.shared<32x64xf16, #columns>
  %r = tilus.load_shared %t : !tilus.shared<64x32xf16, #tile> -> tensor<64x32xf16>
  %q = tilus.load_shared %t access(matrix_trans) : !tilus.shared<64x32xf16, #tile> -> tensor<64x32xf16>
  tilus.store_shared %r, %t : tensor<64x32xf16>, !tilus.shared<64x32xf16, #tile>
  tilus.store_shared %r, %t access(matrix) : tensor<64x32xf16>, !tilus.shared<64x32xf16, #tile>
  tilus.free_shared %s : !tilus.shared<3x64x32xf16>
  return
}
