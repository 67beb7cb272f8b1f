// The threads of a group and the barrier that holds them.
// RUN: tilus-opt %s -split-input-file --convert-tilus-to-nvvm --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A group without a begin is the first threads of the enclosing one, and counts from there: threads 64 to 95.
#line = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @nested
  // CHECK: %[[THREAD:.+]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[OWN:.+]] = arith.subi %[[THREAD]], %c64_i32
  // CHECK: arith.cmpi ult, %[[OWN]], %c32_i32
  // CHECK: %[[INDEX:.+]] = arith.extsi %[[OWN]] : i32 to i64
  // CHECK: %[[PLACE:.+]] = llvm.getelementptr %arg0[%[[INDEX]]]
  // CHECK: llvm.store %{{.+}}, %[[PLACE]]
  tilus.kernel @nested(%x: !tilus.ptr<f32>) warps(4) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<32xf32>
    tilus.thread_group begin(64) threads(64) {
      tilus.thread_group threads(32) {
        %t = arith.constant dense<1.0> : tensor<32xf32, #line>
        tilus.store_global %t, %v[%c0] {tilus.in_bounds = array<i1: true>} : tensor<32xf32, #line>, !tilus.global<32xf32>
      }
    }
  }
}

// -----

// One thread needs no barrier, part of a warp that of its lanes, whole warps a named one of theirs alone, and the block
// its own.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @barriers
  // CHECK-DAG: %[[MIDDLE:.+]] = arith.constant 16776960 : i32
  // CHECK-DAG: %[[ALL:.+]] = arith.constant -1 : i32
  // CHECK-DAG: %[[ONE:.+]] = arith.constant 1 : i32
  // CHECK-DAG: %[[TWO:.+]] = arith.constant 2 : i32
  // CHECK-DAG: %[[C64:.+]] = arith.constant 64 : i32
  // CHECK-DAG: %[[C96:.+]] = arith.constant 96 : i32
  // CHECK-NOT: nvvm.bar
  // CHECK: nvvm.bar.warp.sync %[[MIDDLE]]
  // CHECK-NOT: nvvm.bar
  // CHECK: nvvm.bar.warp.sync %[[ALL]]
  // CHECK-NOT: nvvm.bar
  // CHECK: nvvm.barrier id = %[[ONE]] number_of_threads = %[[C64]]
  // CHECK-NOT: nvvm.bar
  // CHECK: nvvm.barrier id = %[[TWO]] number_of_threads = %[[C96]]
  // CHECK-NOT: nvvm.bar
  // CHECK: nvvm.barrier0
  tilus.kernel @barriers() warps(4) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    tilus.thread_group begin(5) threads(1) {
      tilus.sync
    }
    // Lanes 8 to 23 of the second warp.
    tilus.thread_group begin(40) threads(16) {
      tilus.sync
    }
    tilus.thread_group begin(96) threads(32) {
      tilus.sync
    }
    // Begins at a multiple of a warp that is none of its own size.
    tilus.thread_group begin(32) threads(64) {
      tilus.sync
    }
    tilus.thread_group begin(32) threads(96) {
      tilus.sync
    }
    tilus.sync
  }
}
