// Tiles whose sizes do not fit registers or the modes of a shared tile.
// RUN: tilus-opt %s -split-input-file --convert-tilus-to-nvvm --canonicalize --cse | FileCheck %s
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Three slots of 16 bits take two registers, and the fourth slot is undefined: a division must not see it.
#uneven = #tilus.reg<shape = [96], modes = [32, 3], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @divide
  // CHECK-COUNT-2: arith.addi {{.*}} : vector<2xi16>
  // CHECK-COUNT-3: arith.divsi {{.*}} : i16
  // CHECK-NOT: arith.divsi
  tilus.kernel @divide(%x: !tilus.ptr<i16>) warps(1) attributes {tilus.shared_bytes = 0 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<i16> -> !tilus.global<96xi16>
    %t = tilus.load_global %v[%c0] : !tilus.global<96xi16> -> tensor<96xi16, #uneven>
    %s = arith.addi %t, %t : tensor<96xi16, #uneven>
    %q = arith.divsi %s, %t : tensor<96xi16, #uneven>
    tilus.store_global %q, %v[%c0] : tensor<96xi16, #uneven>, !tilus.global<96xi16>
  }
}

// -----

// Rows of 7 in a line: 16 elements of a slot and those of the threads carry from one row to the next, so the
// place of each slot is computed from its whole index.
#rows = #tilus.smem<shape = [16, 7], modes = [16, 7], strides = [15, 1]>
#line = #tilus.smem<shape = [112], modes = [16, 7], strides = [15, 1]>
#across = #tilus.reg<shape = [112], modes = [7, 16], spatial = [-2, 1], local = [0]>
#along = #tilus.reg<shape = [112], modes = [16, 7], spatial = [-2, 0], local = [1]>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @carry
  // CHECK-COUNT-7: arith.divui {{.*}}, %c7_i32 : i32
  // CHECK-NOT: arith.divui {{.*}}, %c7_i32 : i32
  // CHECK: llvm.return
  tilus.kernel @carry(%x: !tilus.ptr<i32>) warps(1) attributes {tilus.shared_bytes = 1024 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %m = tilus.alloc_shared offset(0) : !tilus.shared<16x7xi32, #rows>
    %l = tilus.reshape_shared %m : !tilus.shared<16x7xi32, #rows> -> !tilus.shared<112xi32, #line>
    %t = tilus.load_shared %l : !tilus.shared<112xi32, #line> -> tensor<112xi32, #across>
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<112xi32>
    tilus.store_global %t, %v[%c0] : tensor<112xi32, #across>, !tilus.global<112xi32>
  }

  // Where each thread has a row of its own nothing carries: one place a thread, and distances from it.
  // CHECK-LABEL: llvm.func @no_carry
  // CHECK: arith.divui {{.*}}, %c7_i32 : i32
  // CHECK-NOT: arith.divui {{.*}}, %c7_i32 : i32
  // CHECK-COUNT-7: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK: llvm.return
  tilus.kernel @no_carry(%x: !tilus.ptr<i32>) warps(1) attributes {tilus.shared_bytes = 1024 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %m = tilus.alloc_shared offset(0) : !tilus.shared<16x7xi32, #rows>
    %l = tilus.reshape_shared %m : !tilus.shared<16x7xi32, #rows> -> !tilus.shared<112xi32, #line>
    %t = tilus.load_shared %l : !tilus.shared<112xi32, #line> -> tensor<112xi32, #along>
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<112xi32>
    tilus.store_global %t, %v[%c0] : tensor<112xi32, #along>, !tilus.global<112xi32>
  }
}

// -----

// Runs of four elements from multiples of four reach over the end of a row of 7: no vectors.
#rows = #tilus.smem<shape = [16, 7], modes = [16, 7], strides = [8, 1]>
#line = #tilus.smem<shape = [112], modes = [16, 7], strides = [8, 1]>
#runs = #tilus.reg<shape = [112], modes = [7, 4, 4], spatial = [-8, 1], local = [0, 2]>
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
  // CHECK-LABEL: llvm.func @no_vectors
  // CHECK-COUNT-28: llvm.load {{.*}} : !llvm.ptr<3> -> i32
  // CHECK-NOT: llvm.load
  tilus.kernel @no_vectors(%x: !tilus.ptr<i32>) warps(1) attributes {tilus.shared_bytes = 512 : i64} grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %m = tilus.alloc_shared offset(0) : !tilus.shared<16x7xi32, #rows>
    %l = tilus.reshape_shared %m : !tilus.shared<16x7xi32, #rows> -> !tilus.shared<112xi32, #line>
    %a = tilus.load_shared %l : !tilus.shared<112xi32, #line> -> tensor<112xi32, #runs>
    %c0 = arith.constant 0 : i32
    %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<112xi32>
    tilus.store_global %a, %v[%c0] : tensor<112xi32, #runs>, !tilus.global<112xi32>
  }
}
