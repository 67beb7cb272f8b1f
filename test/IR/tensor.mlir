// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Operations on register tiles, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @make(
// CHECK-NEXT:    tilus.broadcast %{{.*}} : f32 -> tensor<1x32xf32>
// CHECK-NEXT:    tilus.broadcast %{{.*}} : tensor<1x32xf32> -> tensor<64x32xf32>
// CHECK-NEXT:    tilus.broadcast %{{.*}} : f32 -> tensor<f32>
// CHECK-NEXT:    tilus.iota dim(1) : tensor<4x32xi32>
// CHECK-NEXT:    tilus.iota dim(0) : tensor<7xindex>
// CHECK-NEXT:    tilus.random %{{.*}}, %{{.*}} : tensor<4x32xi32> -> tensor<4x4x32xi32>
// CHECK-NEXT:    tilus.random %{{.*}}, %{{.*}} rounds(7) : tensor<4x32xi32> -> tensor<4x4x32xi32>
// GENERIC:       "tilus.broadcast"(%{{.*}}) : (f32) -> tensor<1x32xf32>
// GENERIC:       "tilus.iota"() <{dim = 1 : i64}> : () -> tensor<4x32xi32>
// GENERIC:       "tilus.random"(%{{.*}}, %{{.*}}) <{rounds = 7 : i32}> : (i64, tensor<4x32xi32>) -> tensor<4x4x32xi32>
func.func @make(%s: f32, %seed: i64) {
  %row = tilus.broadcast %s : f32 -> tensor<1x32xf32>
  %all = tilus.broadcast %row : tensor<1x32xf32> -> tensor<64x32xf32>
  %point = tilus.broadcast %s : f32 -> tensor<f32>
  %i = tilus.iota dim(1) : tensor<4x32xi32>
  %j = tilus.iota dim(0) : tensor<7xindex>
  %w = tilus.random %seed, %i : tensor<4x32xi32> -> tensor<4x4x32xi32>
  %v = tilus.random %seed, %i rounds(7) : tensor<4x32xi32> -> tensor<4x4x32xi32>
  return
}

// CHECK-LABEL: func.func @shape(
// CHECK-NEXT:    tilus.reshape %{{.*}} : tensor<4x32xf16> -> tensor<2x1x64xf16>
// CHECK-NEXT:    tilus.transpose %{{.*}} [1, 0] : tensor<4x32xf16> -> tensor<32x4xf16>
// CHECK-NEXT:    tilus.extract_slice %{{.*}}[%{{.*}}] dims [0] : tensor<4x32xf16> -> tensor<32xf16>
// CHECK-NEXT:    tilus.insert_slice %{{.*}}, %{{.*}}[%{{.*}}] dims [0] : tensor<32xf16>, tensor<4x32xf16>
// CHECK-NEXT:    tilus.extract_slice %{{.*}}[%{{.*}}, %{{.*}} : index] dims [0, 1] : tensor<4x32xf16> -> tensor<f16>
// CHECK-NEXT:    tilus.extract %{{.*}} : tensor<f16>
// GENERIC:       "tilus.reshape"(%{{.*}}) : (tensor<4x32xf16>) -> tensor<2x1x64xf16>
// GENERIC:       "tilus.transpose"(%{{.*}}) <{permutation = array<i64: 1, 0>}> : (tensor<4x32xf16>) -> tensor<32x4xf16>
// GENERIC:       "tilus.extract_slice"(%{{.*}}, %{{.*}}) <{dims = array<i64: 0>}> : (tensor<4x32xf16>, i32) -> tensor<32xf16>
// GENERIC:       "tilus.insert_slice"(%{{.*}}, %{{.*}}, %{{.*}}) <{dims = array<i64: 0>}> : (tensor<32xf16>, tensor<4x32xf16>, i32) -> tensor<4x32xf16>
// GENERIC:       "tilus.extract"(%{{.*}}) : (tensor<f16>) -> f16
func.func @shape(%t: tensor<4x32xf16>, %i: i32, %j: index) {
  %r = tilus.reshape %t : tensor<4x32xf16> -> tensor<2x1x64xf16>
  %p = tilus.transpose %t [1, 0] : tensor<4x32xf16> -> tensor<32x4xf16>
  %row = tilus.extract_slice %t[%i] dims [0] : tensor<4x32xf16> -> tensor<32xf16>
  %u = tilus.insert_slice %row, %t[%i] dims [0] : tensor<32xf16>, tensor<4x32xf16>
  %point = tilus.extract_slice %t[%i, %j : index] dims [0, 1] : tensor<4x32xf16> -> tensor<f16>
  %v = tilus.extract %point : tensor<f16>
  return
}

// CHECK-LABEL: func.func @combine(
// CHECK-NEXT:    tilus.reduce add, %{{.*}} dim(1) : tensor<4x32xf16> -> tensor<4xf16>
// CHECK-NEXT:    tilus.reduce maxnum, %{{.*}} dim(0) keep_dim : tensor<4x32xf16> -> tensor<1x32xf16>
// CHECK-NEXT:    tilus.reduce umin, %{{.*}} dim(0) : tensor<8xi4> -> tensor<i4>
// CHECK-NEXT:    tilus.scan mul, %{{.*}} dim(0) : tensor<4x32xf16>
// CHECK-NEXT:    tilus.scan xor, %{{.*}} dim(0) exclusive reverse : tensor<8xi4>
// GENERIC:       "tilus.reduce"(%{{.*}}) <{dim = 1 : i64, kind = 0 : i32}> : (tensor<4x32xf16>) -> tensor<4xf16>
// GENERIC:       "tilus.reduce"(%{{.*}}) <{dim = 0 : i64, keep_dim, kind = 6 : i32}> : (tensor<4x32xf16>) -> tensor<1x32xf16>
// GENERIC:       "tilus.scan"(%{{.*}}) <{dim = 0 : i64, exclusive, kind = 10 : i32, reverse}> : (tensor<8xi4>) -> tensor<8xi4>
func.func @combine(%t: tensor<4x32xf16>, %i: tensor<8xi4>) {
  %a = tilus.reduce add, %t dim(1) : tensor<4x32xf16> -> tensor<4xf16>
  %b = tilus.reduce maxnum, %t dim(0) keep_dim : tensor<4x32xf16> -> tensor<1x32xf16>
  %c = tilus.reduce umin, %i dim(0) : tensor<8xi4> -> tensor<i4>
  %d = tilus.scan mul, %t dim(0) : tensor<4x32xf16>
  %e = tilus.scan xor, %i dim(0) exclusive reverse : tensor<8xi4>
  return
}

// CHECK-LABEL: func.func @convert(
// CHECK-NEXT:    tilus.cast %{{.*}} : tensor<32xf32> -> tensor<32xf16>
// CHECK-NEXT:    tilus.cast %{{.*}} rounding(toward_zero) saturate : tensor<32xf32> -> tensor<32xf8E4M3FN>
// CHECK-NEXT:    tilus.cast %{{.*}} saturate unsigned_source unsigned_result : tensor<32xi8> -> tensor<32xi4>
// CHECK-NEXT:    tilus.cast %{{.*}} : tensor<32xi8> -> tensor<32x!tilus.bit>
// GENERIC:       "tilus.cast"(%{{.*}}) <{rounding = 0 : i32}> : (tensor<32xf32>) -> tensor<32xf16>
// GENERIC:       "tilus.cast"(%{{.*}}) <{rounding = 1 : i32, saturate}> : (tensor<32xf32>) -> tensor<32xf8E4M3FN>
// GENERIC:       "tilus.cast"(%{{.*}}) <{rounding = 0 : i32, saturate, unsigned_result, unsigned_source}> : (tensor<32xi8>) -> tensor<32xi4>
func.func @convert(%f: tensor<32xf32>, %i: tensor<32xi8>) {
  %a = tilus.cast %f : tensor<32xf32> -> tensor<32xf16>
  %b = tilus.cast %f rounding(toward_zero) saturate : tensor<32xf32> -> tensor<32xf8E4M3FN>
  %c = tilus.cast %i saturate unsigned_source unsigned_result : tensor<32xi8> -> tensor<32xi4>
  %d = tilus.cast %i : tensor<32xi8> -> tensor<32x!tilus.bit>
  return
}

#pairs = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
#words = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>

// CHECK-LABEL: func.func @layout(
// CHECK-NEXT:    %[[P:.*]] = tilus.convert_layout %{{.*}} : tensor<256xi16> -> tensor<256xi16, #[[PAIRS:.*]]>
// CHECK-NEXT:    %[[V:.*]] = tilus.view %[[P]] : tensor<256xi16, #[[PAIRS]]> -> tensor<128xi32, #[[WORDS:.*]]>
// CHECK-NEXT:    tilus.convert_layout %[[V]] : tensor<128xi32, #[[WORDS]]> -> tensor<128xi32>
// GENERIC:       "tilus.convert_layout"(%{{.*}}) : (tensor<256xi16>) -> tensor<256xi16, #{{.*}}>
// GENERIC:       "tilus.view"(%{{.*}}) : (tensor<256xi16, #{{.*}}>) -> tensor<128xi32, #{{.*}}>
func.func @layout(%t: tensor<256xi16>) {
  %p = tilus.convert_layout %t : tensor<256xi16> -> tensor<256xi16, #pairs>
  %v = tilus.view %p : tensor<256xi16, #pairs> -> tensor<128xi32, #words>
  %w = tilus.convert_layout %v : tensor<128xi32, #words> -> tensor<128xi32>
  return
}
