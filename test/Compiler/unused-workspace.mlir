// RUN: tilus-translate %s --tilus-to-ptx --target sm_90a | FileCheck %s
// A workspace that nobody uses is no parameter of the kernel, and none is brought to a launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: .entry unused_workspace(
// CHECK:         unused_workspace_param_1
// CHECK-NOT:     unused_workspace_param_2
tilus.kernel @unused_workspace(%x: !tilus.ptr<i32>, %n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %locks = tilus.alloc_global [%n] clean : !tilus.global<?xi32>
  %c0 = arith.constant 0 : i32
  %view = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<32xi32>
  %i = tilus.iota dim(0) : tensor<32xi32>
  tilus.store_global %i, %view[%c0] : tensor<32xi32>, !tilus.global<32xi32>
}
