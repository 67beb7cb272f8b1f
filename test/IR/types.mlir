// RUN: tilus-opt %s | FileCheck %s
// The types of the dialect and the element types that they take.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func private @elements(
// CHECK-SAME:    !tilus.ptr<i1>, !tilus.ptr<i4>, !tilus.ptr<i64>, !tilus.ptr<index>,
// CHECK-SAME:    !tilus.ptr<f16>, !tilus.ptr<bf16>, !tilus.ptr<tf32>, !tilus.ptr<f64>,
// CHECK-SAME:    !tilus.ptr<f8E4M3FN>, !tilus.ptr<f8E5M2>, !tilus.ptr<f6E3M2FN>, !tilus.ptr<f4E2M1FN>,
// CHECK-SAME:    !tilus.ptr<!tilus.bit>, !tilus.ptr<!tilus.float<4, 2>>)
func.func private @elements(
  !tilus.ptr<i1>, !tilus.ptr<i4>, !tilus.ptr<i64>, !tilus.ptr<index>,
  !tilus.ptr<f16>, !tilus.ptr<bf16>, !tilus.ptr<tf32>, !tilus.ptr<f64>,
  !tilus.ptr<f8E4M3FN>, !tilus.ptr<f8E5M2>, !tilus.ptr<f6E3M2FN>, !tilus.ptr<f4E2M1FN>,
  !tilus.ptr<!tilus.bit>, !tilus.ptr<!tilus.float<4, 2>>)

// The range of the low-precision floats.
// CHECK-LABEL: func.func private @floats(!tilus.float<1, 1>, !tilus.float<5, 2>, !tilus.float<1, 6>, !tilus.float<2, 0>)
func.func private @floats(!tilus.float<1, 1>, !tilus.float<5, 2>, !tilus.float<1, 6>, !tilus.float<2, 0>)

// CHECK-LABEL: func.func private @views(
// CHECK-SAME:    !tilus.global<f32>, !tilus.global<0xf32>, !tilus.global<?x128x!tilus.bit>,
// CHECK-SAME:    !tilus.global<?x128xf16, strides = [?, 1]>, !tilus.global<4xf16, strides = [-1]>,
// CHECK-SAME:    !tilus.global<?x?x?x?x0xi4>)
func.func private @views(
  !tilus.global<f32>, !tilus.global<0xf32>, !tilus.global<?x128x!tilus.bit>,
  !tilus.global<?x128xf16, strides = [?, 1]>, !tilus.global<4xf16, strides = [-1]>,
  !tilus.global<?x?x?x?x0xi4>)

// CHECK-LABEL: func.func private @shared(
// CHECK-SAME:    !tilus.shared<f32>, !tilus.shared<64x32x!tilus.float<3, 3>>, !tilus.shared<1x1x1x1x1x1xi8>,
// CHECK-SAME:    !tilus.shared<8x64xf16, #tilus.smem<shape = [8, 64], modes = [8, 64], strides = [64, 1], swizzle = [3, 3, 3]>>)
func.func private @shared(
  !tilus.shared<f32>, !tilus.shared<64x32x!tilus.float<3, 3>>, !tilus.shared<1x1x1x1x1x1xi8>,
  !tilus.shared<8x64xf16, #tilus.smem<shape = [8, 64], modes = [8, 64], strides = [64, 1], swizzle = [3, 3, 3]>>)

// CHECK-LABEL: func.func private @tiles(
// CHECK-SAME:    tensor<f16>, tensor<4x!tilus.bit>, tensor<3x5x7x!tilus.float<2, 1>>,
// CHECK-SAME:    tensor<16x8xf32, #tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>>)
func.func private @tiles(
  tensor<f16>, tensor<4x!tilus.bit>, tensor<3x5x7x!tilus.float<2, 1>>,
  tensor<16x8xf32, #tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>>)
