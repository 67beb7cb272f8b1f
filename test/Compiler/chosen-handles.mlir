// RUN: tilus-translate %s --tilus-to-ptx --target sm_90a | FileCheck %s
// A parameter of type index, and pointers, views and shared tiles that are chosen at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK: .entry chosen(
// CHECK-NEXT: .param .u64 chosen_param_0,
// CHECK-DAG: selp.b64
// CHECK-DAG: ld.shared
// CHECK-DAG: st.global
tilus.kernel @chosen(%n: index, %c: i1, %x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(1) grid {
  %one = arith.constant 1 : i32
  tilus.grid [%one]
} {
  %c0 = arith.constant 0 : i32
  %s = arith.select %c, %x, %y : !tilus.ptr<i32>
  %g = tilus.global_view %s [%n : index] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %h = tilus.global_view %y [%n : index] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %v = arith.select %c, %h, %g : !tilus.global<?xi32>
  %a = tilus.alloc_shared : !tilus.shared<32xi32>
  %b = tilus.alloc_shared : !tilus.shared<32xi32>
  %u = arith.select %c, %a, %b : !tilus.shared<32xi32>
  %l = tilus.load_global %g[%c0] : !tilus.global<?xi32> -> tensor<32xi32>
  tilus.store_shared %l, %a : tensor<32xi32>, !tilus.shared<32xi32>
  tilus.store_shared %l, %b : tensor<32xi32>, !tilus.shared<32xi32>
  %t = tilus.load_shared %u : !tilus.shared<32xi32> -> tensor<32xi32>
  tilus.store_global %t, %v[%c0] : tensor<32xi32>, !tilus.global<?xi32>
}
