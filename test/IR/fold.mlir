// RUN: tilus-opt %s --canonicalize --split-input-file | FileCheck %s
// Folds of the operations on tiles, and of arith on tiles with and without layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tile that has the wanted type already is passed through.
// CHECK-LABEL: func.func @identity(
// CHECK-SAME:    %[[T:.*]]: tensor<4x8xf32>)
// CHECK-NEXT:    return %[[T]], %[[T]], %[[T]], %[[T]] : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
func.func @identity(%t: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %a = tilus.broadcast %t : tensor<4x8xf32> -> tensor<4x8xf32>
  %b = tilus.reshape %t : tensor<4x8xf32> -> tensor<4x8xf32>
  %c = tilus.transpose %t [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %d = tilus.convert_layout %t : tensor<4x8xf32> -> tensor<4x8xf32>
  return %a, %b, %c, %d : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// What moves elements stays.
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    tilus.broadcast
// CHECK-NEXT:    tilus.reshape
// CHECK-NEXT:    tilus.transpose
func.func @kept(%t: tensor<4x4xf32>) -> (tensor<2x4x4xf32>, tensor<16xf32>, tensor<4x4xf32>) {
  %a = tilus.broadcast %t : tensor<4x4xf32> -> tensor<2x4x4xf32>
  %b = tilus.reshape %t : tensor<4x4xf32> -> tensor<16xf32>
  %c = tilus.transpose %t [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return %a, %b, %c : tensor<2x4x4xf32>, tensor<16xf32>, tensor<4x4xf32>
}

// -----

#threads = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>

// Changes of shape and layout of a constant are constants.
// CHECK-LABEL: func.func @constants(
// CHECK-DAG:     %[[LAYOUT:.*]] = arith.constant dense<2.000000e+00> : tensor<32xf32, #{{.*}}>
// CHECK-DAG:     %[[ROW:.*]] = arith.constant dense<2.000000e+00> : tensor<32xf32>
// CHECK-DAG:     %[[COLUMNS:.*]] = arith.constant dense<2.000000e+00> : tensor<32x4xf32>
// CHECK-DAG:     %[[LINE:.*]] = arith.constant dense<2.000000e+00> : tensor<128xf32>
// CHECK-DAG:     %[[INDICES:.*]] = arith.constant dense<7> : tensor<3xindex>
// CHECK-NOT:     tilus.
// CHECK:         return %[[LAYOUT]], %[[ROW]], %[[COLUMNS]], %[[LINE]], %[[INDICES]]
func.func @constants() -> (tensor<32xf32, #threads>, tensor<32xf32>, tensor<32x4xf32>, tensor<128xf32>, tensor<3xindex>) {
  %two = arith.constant 2.0 : f32
  %row = tilus.broadcast %two : f32 -> tensor<32xf32>
  %rows = tilus.broadcast %row : tensor<32xf32> -> tensor<4x32xf32>
  %columns = tilus.transpose %rows [1, 0] : tensor<4x32xf32> -> tensor<32x4xf32>
  %line = tilus.reshape %rows : tensor<4x32xf32> -> tensor<128xf32>
  %layout = tilus.convert_layout %row : tensor<32xf32> -> tensor<32xf32, #threads>
  %seven = arith.constant 7 : index
  %indices = tilus.broadcast %seven : index -> tensor<3xindex>
  return %layout, %row, %columns, %line, %indices : tensor<32xf32, #threads>, tensor<32xf32>, tensor<32x4xf32>, tensor<128xf32>, tensor<3xindex>
}

// -----

#threads = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>

// arith folds tiles as it folds any tensor, through broadcasts and with layouts.
// CHECK-LABEL: func.func @arith(
// CHECK-SAME:    %[[T:.*]]: tensor<32xi32, #{{.*}}>
// CHECK-DAG:     %[[FIVE:.*]] = arith.constant dense<5> : tensor<32xi32>
// CHECK:         return %[[FIVE]], %[[T]]
func.func @arith(%t: tensor<32xi32, #threads>) -> (tensor<32xi32>, tensor<32xi32, #threads>) {
  %c2 = arith.constant 2 : i32
  %two = tilus.broadcast %c2 : i32 -> tensor<32xi32>
  %three = arith.constant dense<3> : tensor<32xi32>
  %five = arith.addi %two, %three : tensor<32xi32>
  %zero = arith.constant dense<0> : tensor<32xi32, #threads>
  %same = arith.addi %t, %zero : tensor<32xi32, #threads>
  return %five, %same : tensor<32xi32>, tensor<32xi32, #threads>
}

// -----

// A loop that changes nothing passes its tile through.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME:    %[[T:.*]]: tensor<4xf32>, %{{.*}}: i32)
// CHECK-NEXT:    return %[[T]]
func.func @loop(%t: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%u = %t) -> (tensor<4xf32>) : i32 {
    scf.yield %u : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Unused tiles vanish, also those of loads; stores stay.
// CHECK-LABEL: func.func @unused(
// CHECK-NEXT:    tilus.store_shared
// CHECK-NEXT:    return
func.func @unused(%v: !tilus.global<64xf32>, %s: !tilus.shared<4xf32>, %t: tensor<4xf32>, %i: i32) {
  %a = tilus.load_global %v[%i] : !tilus.global<64xf32> -> tensor<4xf32>
  %b = tilus.load_shared %s : !tilus.shared<4xf32> -> tensor<4xf32>
  %c = tilus.reduce add, %a dim(0) : tensor<4xf32> -> tensor<f32>
  %d = tilus.alloc_shared : !tilus.shared<4xf32>
  tilus.store_shared %t, %s : tensor<4xf32>, !tilus.shared<4xf32>
  return
}
