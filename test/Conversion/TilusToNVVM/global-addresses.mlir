// Addresses of the slots of a tile in a view of global memory.
// RUN: tilus-opt %s -split-input-file --convert-tilus-to-nvvm --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A column of 16 rows of a stride that is known at run time: the first rows are one product and one sum away from the
// thread's own place, the others one sum away from a row that has been made, without products of their own.
#column = #tilus.reg<shape = [16, 32], modes = [16, 32], spatial = [1], local = [0]>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @rows
  // CHECK-DAG: %[[C8:.+]] = arith.constant 8 : i64
  // CHECK: %[[N:.+]] = arith.extsi %arg0 : i32 to i64
  // CHECK: %[[R0:.+]] = llvm.getelementptr %arg1[%{{.+}}] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i16
  // CHECK: llvm.getelementptr %[[R0]][%[[N]]]
  // CHECK: %[[N2:.+]] = arith.muli %[[N]], %{{.+}} : i64
  // CHECK: llvm.getelementptr %[[R0]][%[[N2]]]
  // CHECK-COUNT-5: arith.muli
  // CHECK: %[[N8:.+]] = arith.muli %[[N]], %[[C8]] : i64
  // CHECK: %[[R8:.+]] = llvm.getelementptr %[[R0]][%[[N8]]]
  // CHECK: llvm.getelementptr %[[R8]][%[[N]]]
  // CHECK: %[[R10:.+]] = llvm.getelementptr %[[R8]][%[[N2]]]
  // CHECK: llvm.getelementptr %[[R10]][%[[N]]]
  // CHECK-NOT: arith.muli
  // CHECK: llvm.store %{{.+}}, %[[R10]]
  // CHECK: llvm.return
  tilus.kernel @rows(%n: i32, %x: !tilus.ptr<f16>) warps(1) attributes {tilus.shared_bytes = 0 : i64} grid {
    tilus.grid [%n]
  } {
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<16x?xf16>
    %t = tilus.load_global %v[%c0, %c0] {tilus.in_bounds = array<i1: true, true>} : !tilus.global<16x?xf16> -> tensor<16x32xf16, #column>
    tilus.store_global %t, %v[%c0, %c0] {tilus.in_bounds = array<i1: true, true>} : tensor<16x32xf16, #column>, !tilus.global<16x?xf16>
  }
}
