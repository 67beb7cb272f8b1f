// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Product of f16 matrices, c[m, n] = a[m, k] b[k, n], summed in f32: with asynchronous copies into a ring of stages.
//
// While one stage is multiplied, the copies of the next ones are under way. Each step waits until its own stage has
// arrived, synchronises once, starts the copies of the stage that the step before has freed, and multiplies. Copies
// beyond the end of k fill their stage with zeros and are never read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles of 128 by 128: two blocks fit a multiprocessor, and small matrices make enough of them. For large ones, on chips
// with 144 KiB of shared memory for a block, matmul_pipelined_wide.mlir is faster.
tilus.kernel @matmul_pipelined(%m: i32, %n: i32, %k: i32, %a: !tilus.ptr<f16>, %b: !tilus.ptr<f16>,
                               %c: !tilus.ptr<f16>) warps(4) grid {
  %c128 = arith.constant 128 : i32
  %blocks_m = arith.ceildivsi %m, %c128 : i32
  %blocks_n = arith.ceildivsi %n, %c128 : i32
  tilus.grid [%blocks_m, %blocks_n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %c32 = arith.constant 32 : i32
  %c128 = arith.constant 128 : i32
  %block_m = tilus.block_id x
  %block_n = tilus.block_id y
  %row = arith.muli %block_m, %c128 : i32
  %column = arith.muli %block_n, %c128 : i32
  %ga = tilus.global_view %a [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gb = tilus.global_view %b [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gc = tilus.global_view %c [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %sa = tilus.alloc_shared : !tilus.shared<4x128x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<4x32x128xf16>

  // Fill all stages but one.
  scf.for %stage = %c0 to %c3 step %c1 : i32 {
    %offset = arith.muli %stage, %c32 : i32
    %fill_a = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %fill_b = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    tilus.copy_async %ga[%row, %offset], %fill_a : !tilus.global<?x?xf16>, !tilus.shared<128x32xf16>
    tilus.copy_async %gb[%offset, %column], %fill_b : !tilus.global<?x?xf16>, !tilus.shared<32x128xf16>
    tilus.copy_async.commit_group
  }

  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %steps = arith.ceildivsi %k, %c32 : i32
  %sum = scf.for %i = %c0 to %steps step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    // This step's tiles have arrived, and all threads are done with those of the step before.
    tilus.copy_async.wait_group 2
    tilus.sync
    // Load 3 steps ahead into the stage that the step before has read.
    %next = arith.addi %i, %c3 : i32
    %offset = arith.muli %next, %c32 : i32
    %free = arith.remsi %next, %c4 : i32
    %free_a = tilus.slice_shared %sa[%free] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %free_b = tilus.slice_shared %sb[%free] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    tilus.copy_async %ga[%row, %offset], %free_a : !tilus.global<?x?xf16>, !tilus.shared<128x32xf16>
    tilus.copy_async %gb[%offset, %column], %free_b : !tilus.global<?x?xf16>, !tilus.shared<32x128xf16>
    tilus.copy_async.commit_group
    // Compute.
    %stage = arith.remsi %i, %c4 : i32
    %stage_a = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %stage_b = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    %ta = tilus.load_shared %stage_a : !tilus.shared<128x32xf16> -> tensor<128x32xf16>
    %tb = tilus.load_shared %stage_b : !tilus.shared<32x128xf16> -> tensor<32x128xf16>
    %new = tilus.mma %ta, %tb, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %new : tensor<128x128xf32>
  }
  tilus.copy_async.wait_all

  %result = tilus.cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tilus.store_global %result, %gc[%row, %column] : tensor<128x128xf16>, !tilus.global<?x?xf16>
}
