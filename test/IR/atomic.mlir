// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Atomic updates and scattered stores, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @atomic(
// CHECK-NEXT:    tilus.atomic add, %{{.*}} [%{{.*}}], %{{.*}} : !tilus.global<?xi32>, tensor<32xi32>
// CHECK-NEXT:    tilus.atomic max, %{{.*}} [%{{.*}} : index], %{{.*}} order(acq_rel) scope(sys) : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi32>
// CHECK-NEXT:    tilus.atomic cas, %{{.*}} [%{{.*}}], %{{.*}} compare(%{{.*}} : tensor<32xi32>) : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi32>
// CHECK-NEXT:    tilus.atomic sub, %{{.*}}, %{{.*}} order(release) scope(cta) : !tilus.shared<32xi32>, tensor<32xi32>
// GENERIC:       "tilus.atomic"(%{{.*}}, %{{.*}}, %{{.*}}) <{kind = 0 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>, order = 0 : i32}> : (!tilus.global<?xi32>, i32, tensor<32xi32>) -> ()
// GENERIC:       "tilus.atomic"(%{{.*}}, %{{.*}}, %{{.*}}) <{kind = 2 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 0>, order = 3 : i32, scope = 3 : i32}> : (!tilus.global<?xi32>, index, tensor<32xi32>) -> tensor<32xi32>
// GENERIC:       "tilus.atomic"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{kind = 10 : i32, operandSegmentSizes = array<i32: 1, 1, 1, 1>, order = 0 : i32}>
// GENERIC:       "tilus.atomic"(%{{.*}}, %{{.*}}) <{kind = 1 : i32, operandSegmentSizes = array<i32: 1, 0, 1, 0>, order = 2 : i32, scope = 0 : i32}>
func.func @atomic(%v: !tilus.global<?xi32>, %s: !tilus.shared<32xi32>, %t: tensor<32xi32>, %i: i32, %j: index) {
  tilus.atomic add, %v[%i], %t : !tilus.global<?xi32>, tensor<32xi32>
  %a = tilus.atomic max, %v[%j : index], %t order(acq_rel) scope(sys) : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi32>
  %b = tilus.atomic cas, %v[%i], %t compare(%t : tensor<32xi32>) : !tilus.global<?xi32>, tensor<32xi32> -> tensor<32xi32>
  tilus.atomic sub, %s, %t order(release) scope(cta) : !tilus.shared<32xi32>, tensor<32xi32>
  return
}

// CHECK-LABEL: func.func @scatter(
// CHECK-NEXT:    tilus.atomic_scatter add, %{{.*}} dim(0), %{{.*}}, %{{.*}} : !tilus.global<?xi32>, tensor<32xi32>, tensor<32xi32>
// CHECK-NEXT:    tilus.atomic_scatter umax, %{{.*}} dim(0), %{{.*}}, %{{.*}} order(acquire) scope(gpu) : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32> -> tensor<32xi32>
// CHECK-NEXT:    tilus.store_scatter %{{.*}} dim(0), %{{.*}}, %{{.*}} : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>
// GENERIC:       "tilus.atomic_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{dim = 0 : i64, kind = 0 : i32, order = 0 : i32}> : (!tilus.global<?xi32>, tensor<32xi32>, tensor<32xi32>) -> ()
// GENERIC:       "tilus.atomic_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{dim = 0 : i64, kind = 4 : i32, order = 1 : i32, scope = 2 : i32}>
// GENERIC:       "tilus.store_scatter"(%{{.*}}, %{{.*}}, %{{.*}}) <{dim = 0 : i64}> : (!tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>) -> ()
func.func @scatter(%v: !tilus.global<?xi32>, %s: !tilus.shared<32xi32>, %i: tensor<32xi32>, %t: tensor<32xi32>) {
  tilus.atomic_scatter add, %v dim(0), %i, %t : !tilus.global<?xi32>, tensor<32xi32>, tensor<32xi32>
  %a = tilus.atomic_scatter umax, %s dim(0), %i, %t order(acquire) scope(gpu) : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32> -> tensor<32xi32>
  tilus.store_scatter %s dim(0), %i, %t : !tilus.shared<32xi32>, tensor<32xi32>, tensor<32xi32>
  return
}
