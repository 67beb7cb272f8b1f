// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Barriers and semaphores, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @sync(
// CHECK-NEXT:    tilus.sync{{$}}
// CHECK-NEXT:    tilus.semaphore_lock %{{.*}}[%{{.*}}], %{{.*}} : !tilus.global<?xi32>
// CHECK-NEXT:    tilus.semaphore_release %{{.*}}[%{{.*}} : i64], %{{.*}} : !tilus.global<?xi32>
// GENERIC:       "tilus.sync"() : () -> ()
// GENERIC:       "tilus.semaphore_lock"(%{{.*}}, %{{.*}}, %{{.*}}) : (!tilus.global<?xi32>, i32, i32) -> ()
// GENERIC:       "tilus.semaphore_release"(%{{.*}}, %{{.*}}, %{{.*}}) : (!tilus.global<?xi32>, i64, i32) -> ()
func.func @sync(%locks: !tilus.global<?xi32>, %i: i32, %j: i64) {
  tilus.sync
  tilus.semaphore_lock %locks[%i], %i : !tilus.global<?xi32>
  tilus.semaphore_release %locks[%j : i64], %i : !tilus.global<?xi32>
  return
}
