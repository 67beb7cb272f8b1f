// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Asynchronous copies and their groups, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @copy(
// CHECK:         tilus.copy_async %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
// CHECK-NEXT:    tilus.copy_async %{{.*}}[%{{.*}}, %{{.*}} : index], %{{.*}} dims [1, 0] cache(global) : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
// CHECK-NEXT:    tilus.copy_async.commit_group
// CHECK-NEXT:    tilus.copy_async.wait_group 2
// CHECK-NEXT:    tilus.copy_async.wait_all
// GENERIC:       "tilus.copy_async"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{cache = 0 : i32}> : (!tilus.global<?x64xf16>, i32, i32, !tilus.shared<32x64xf16>) -> ()
// GENERIC:       "tilus.copy_async"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{cache = 2 : i32, dims = array<i64: 1, 0>}> : (!tilus.global<?x64xf16>, i32, index, !tilus.shared<32x64xf16>) -> ()
// GENERIC:       "tilus.copy_async.commit_group"() : () -> ()
// GENERIC:       "tilus.copy_async.wait_group"() <{pending = 2 : i32}> : () -> ()
// GENERIC:       "tilus.copy_async.wait_all"() : () -> ()
func.func @copy(%v: !tilus.global<?x64xf16>, %i: i32, %j: index) {
  %s = tilus.alloc_shared : !tilus.shared<32x64xf16>
  tilus.copy_async %v[%i, %i], %s : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  tilus.copy_async %v[%i, %j : index], %s dims [1, 0] cache(global) : !tilus.global<?x64xf16>, !tilus.shared<32x64xf16>
  tilus.copy_async.commit_group
  tilus.copy_async.wait_group 2
  tilus.copy_async.wait_all
  return
}
