// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Product of f16 matrices, c[m, n] = a[m, k] b[k, n], summed in f32: with asynchronous copies into a ring of stages.
//
// While one stage is multiplied, the copies of the next ones are under way. Each step starts the copies of the stage
// that the step before has freed, multiplies, waits until the next stage has arrived, and synchronises once. Copies
// beyond the end of k fill their stage with zeros and are never read. Takes 144 KiB of shared memory; for small matrices
// and chips that have less, see matmul_pipelined.mlir.
//
// Tiles of 128 by 256, each warp 64 by 64: the most products for each byte read from shared memory. A stage holds four
// slabs of 16 along k; while a slab is multiplied the registers of the next one are loaded, across the end of a stage too.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @matmul_pipelined_wide(%m: i32, %n: i32, %k: i32, %a: !tilus.ptr<f16>, %b: !tilus.ptr<f16>,
                                    %c: !tilus.ptr<f16>) warps(8) grid {
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %blocks_m = arith.ceildivsi %m, %c128 : i32
  %blocks_n = arith.ceildivsi %n, %c256 : i32
  tilus.grid [%blocks_m, %blocks_n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %c256 = arith.constant 256 : i32
  %block_m = tilus.block_id x
  %block_n = tilus.block_id y
  %row = arith.muli %block_m, %c128 : i32
  %column = arith.muli %block_n, %c256 : i32
  %ga = tilus.global_view %a [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gb = tilus.global_view %b [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gc = tilus.global_view %c [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %sa = tilus.alloc_shared : !tilus.shared<3x128x4x16xf16>
  %sb = tilus.alloc_shared : !tilus.shared<3x4x16x256xf16>

  // Fill all stages but one, and load the first slab.
  scf.for %stage = %c0 to %c2 step %c1 : i32 {
    %offset = arith.muli %stage, %c64 : i32
    %fill_a0 = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x4x16xf16>
    %fill_a = tilus.reshape_shared %fill_a0 : !tilus.shared<128x4x16xf16> -> !tilus.shared<128x64xf16>
    %fill_b0 = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<4x16x256xf16>
    %fill_b = tilus.reshape_shared %fill_b0 : !tilus.shared<4x16x256xf16> -> !tilus.shared<64x256xf16>
    tilus.copy_async %ga[%row, %offset], %fill_a : !tilus.global<?x?xf16>, !tilus.shared<128x64xf16>
    tilus.copy_async %gb[%offset, %column], %fill_b : !tilus.global<?x?xf16>, !tilus.shared<64x256xf16>
    tilus.copy_async.commit_group
  }
  tilus.copy_async.wait_group 1
  tilus.sync
  %first_sa = tilus.slice_shared %sa[%c0, %c0] dims [0, 2] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x16xf16>
  %first_sb = tilus.slice_shared %sb[%c0, %c0] dims [0, 1] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<16x256xf16>
  %first_a = tilus.load_shared %first_sa : !tilus.shared<128x16xf16> -> tensor<128x16xf16>
  %first_b = tilus.load_shared %first_sb : !tilus.shared<16x256xf16> -> tensor<16x256xf16>

  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %steps = arith.ceildivsi %k, %c64 : i32
  %sum:3 = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero, %a0 = %first_a, %b0 = %first_b)
      -> (tensor<128x256xf32>, tensor<128x16xf16>, tensor<16x256xf16>) : i32 {
    %stage = arith.remsi %i, %c3 : i32
    %k1_sa = tilus.slice_shared %sa[%stage, %c1] dims [0, 2] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x16xf16>
    %k1_sb = tilus.slice_shared %sb[%stage, %c1] dims [0, 1] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<16x256xf16>
    %k1_a = tilus.load_shared %k1_sa : !tilus.shared<128x16xf16> -> tensor<128x16xf16>
    %k1_b = tilus.load_shared %k1_sb : !tilus.shared<16x256xf16> -> tensor<16x256xf16>
    // Load 2 steps ahead into the stage that the step before has read.
    %ahead = arith.addi %i, %c2 : i32
    %offset = arith.muli %ahead, %c64 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %free_a0 = tilus.slice_shared %sa[%free] dims [0] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x4x16xf16>
    %free_a = tilus.reshape_shared %free_a0 : !tilus.shared<128x4x16xf16> -> !tilus.shared<128x64xf16>
    %free_b0 = tilus.slice_shared %sb[%free] dims [0] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<4x16x256xf16>
    %free_b = tilus.reshape_shared %free_b0 : !tilus.shared<4x16x256xf16> -> !tilus.shared<64x256xf16>
    tilus.copy_async %ga[%row, %offset], %free_a : !tilus.global<?x?xf16>, !tilus.shared<128x64xf16>
    tilus.copy_async %gb[%offset, %column], %free_b : !tilus.global<?x?xf16>, !tilus.shared<64x256xf16>
    tilus.copy_async.commit_group
    %acc0 = tilus.mma %a0, %b0, %acc : tensor<128x16xf16>, tensor<16x256xf16>, tensor<128x256xf32>
    %k2_sa = tilus.slice_shared %sa[%stage, %c2] dims [0, 2] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x16xf16>
    %k2_sb = tilus.slice_shared %sb[%stage, %c2] dims [0, 1] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<16x256xf16>
    %k2_a = tilus.load_shared %k2_sa : !tilus.shared<128x16xf16> -> tensor<128x16xf16>
    %k2_b = tilus.load_shared %k2_sb : !tilus.shared<16x256xf16> -> tensor<16x256xf16>
    %acc1 = tilus.mma %k1_a, %k1_b, %acc0 : tensor<128x16xf16>, tensor<16x256xf16>, tensor<128x256xf32>
    %k3_sa = tilus.slice_shared %sa[%stage, %c3] dims [0, 2] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x16xf16>
    %k3_sb = tilus.slice_shared %sb[%stage, %c3] dims [0, 1] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<16x256xf16>
    %k3_a = tilus.load_shared %k3_sa : !tilus.shared<128x16xf16> -> tensor<128x16xf16>
    %k3_b = tilus.load_shared %k3_sb : !tilus.shared<16x256xf16> -> tensor<16x256xf16>
    %acc2 = tilus.mma %k2_a, %k2_b, %acc1 : tensor<128x16xf16>, tensor<16x256xf16>, tensor<128x256xf32>
    // The next stage has arrived, and all threads have read this one.
    tilus.copy_async.wait_group 1
    tilus.sync
    %next = arith.addi %i, %c1 : i32
    %next_stage = arith.remsi %next, %c3 : i32
    %next_sa = tilus.slice_shared %sa[%next_stage, %c0] dims [0, 2] : !tilus.shared<3x128x4x16xf16> -> !tilus.shared<128x16xf16>
    %next_sb = tilus.slice_shared %sb[%next_stage, %c0] dims [0, 1] : !tilus.shared<3x4x16x256xf16> -> !tilus.shared<16x256xf16>
    %next_a = tilus.load_shared %next_sa : !tilus.shared<128x16xf16> -> tensor<128x16xf16>
    %next_b = tilus.load_shared %next_sb : !tilus.shared<16x256xf16> -> tensor<16x256xf16>
    %acc3 = tilus.mma %k3_a, %k3_b, %acc2 : tensor<128x16xf16>, tensor<16x256xf16>, tensor<128x256xf32>
    scf.yield %acc3, %next_a, %next_b : tensor<128x256xf32>, tensor<128x16xf16>, tensor<16x256xf16>
  }
  tilus.copy_async.wait_all

  %result = tilus.cast %sum#0 : tensor<128x256xf32> -> tensor<128x256xf16>
  tilus.store_global %result, %gc[%row, %column] : tensor<128x256xf16>, !tilus.global<?x?xf16>
}
