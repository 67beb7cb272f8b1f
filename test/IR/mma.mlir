// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Matrix products, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @mma(
// CHECK-NEXT:    tilus.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
// CHECK-NEXT:    tilus.mma %{{.*}}, %{{.*}}, %{{.*}} atom(<m16n8k16_f16_f16_f32>) : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
// CHECK-NEXT:    tilus.mma %{{.*}}, %{{.*}}, %{{.*}} unsigned_a unsigned_b atom(<simt>) : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
// GENERIC:       "tilus.mma"(%{{.*}}, %{{.*}}, %{{.*}}) : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf32>
// GENERIC:       "tilus.mma"(%{{.*}}, %{{.*}}, %{{.*}}) <{atom = #tilus.mma_atom<m16n8k16_f16_f16_f32>}>
// GENERIC:       "tilus.mma"(%{{.*}}, %{{.*}}, %{{.*}}) <{atom = #tilus.mma_atom<simt>, unsigned_a, unsigned_b}>
func.func @mma(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>,
               %x: tensor<3x5xi8>, %y: tensor<5x7xi8>, %z: tensor<3x7xi32>) {
  %d = tilus.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %e = tilus.mma %a, %b, %c atom(<m16n8k16_f16_f16_f32>) : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %f = tilus.mma %x, %y, %z unsigned_a unsigned_b atom(<simt>) : tensor<3x5xi8>, tensor<5x7xi8>, tensor<3x7xi32>
  return
}
