// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Product of f16 matrices, c[m, n] = a[m, k] b[k, n], summed in f32: with k split over the third axis of the grid,
// for products of few tiles and a long k.
//
// The blocks of one tile take turns, in the order of their parts of k, at a sum in a workspace: the result does not
// depend on when they run. A word for each tile says whose turn it is, and is zero again at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @matmul_splitk(%m: i32, %n: i32, %k: i32, %a: !tilus.ptr<f16>, %b: !tilus.ptr<f16>,
                            %c: !tilus.ptr<f16>) warps(4) grid {
  %c128 = arith.constant 128 : i32
  %splits = arith.constant 4 : i32
  %blocks_m = arith.ceildivsi %m, %c128 : i32
  %blocks_n = arith.ceildivsi %n, %c128 : i32
  tilus.grid [%blocks_m, %blocks_n, %splits]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %c128 = arith.constant 128 : i32
  %block_m = tilus.block_id x
  %block_n = tilus.block_id y
  %row = arith.muli %block_m, %c128 : i32
  %column = arith.muli %block_n, %c128 : i32
  %part = tilus.block_id z
  %parts = tilus.grid_dim z
  %ga = tilus.global_view %a [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gb = tilus.global_view %b [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gc = tilus.global_view %c [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %blocks_m = arith.ceildivsi %m, %c128 : i32
  %blocks_n = arith.ceildivsi %n, %c128 : i32
  %turns = tilus.alloc_global [%blocks_m, %blocks_n] clean : !tilus.global<?x?xi32>
  %sums = tilus.alloc_global [%m, %n] : !tilus.global<?x?xf32>

  // This block's part of the steps along k: an equal share, rounded up; later parts may be shorter or empty.
  %steps = arith.ceildivsi %k, %c32 : i32
  %share = arith.ceildivsi %steps, %parts : i32
  %first = arith.muli %part, %share : i32
  %behind = arith.addi %first, %share : i32
  %last = arith.minsi %behind, %steps : i32

  // Four stages of asynchronous copies, as in matmul_pipelined.mlir. Copies beyond the part are never read.
  %c3 = arith.constant 3 : i32
  %c4 = arith.constant 4 : i32
  %sa = tilus.alloc_shared : !tilus.shared<4x128x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<4x32x128xf16>
  scf.for %stage = %c0 to %c3 step %c1 : i32 {
    %step = arith.addi %first, %stage : i32
    %offset = arith.muli %step, %c32 : i32
    %fill_a = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %fill_b = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    tilus.copy_async %ga[%row, %offset], %fill_a : !tilus.global<?x?xf16>, !tilus.shared<128x32xf16>
    tilus.copy_async %gb[%offset, %column], %fill_b : !tilus.global<?x?xf16>, !tilus.shared<32x128xf16>
    tilus.copy_async.commit_group
  }
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %own = scf.for %i = %first to %last step %c1 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    tilus.copy_async.wait_group 2
    tilus.sync
    %ahead = arith.addi %i, %c3 : i32
    %offset = arith.muli %ahead, %c32 : i32
    %turn_ahead = arith.subi %ahead, %first : i32
    %free = arith.remsi %turn_ahead, %c4 : i32
    %free_a = tilus.slice_shared %sa[%free] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %free_b = tilus.slice_shared %sb[%free] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    tilus.copy_async %ga[%row, %offset], %free_a : !tilus.global<?x?xf16>, !tilus.shared<128x32xf16>
    tilus.copy_async %gb[%offset, %column], %free_b : !tilus.global<?x?xf16>, !tilus.shared<32x128xf16>
    tilus.copy_async.commit_group
    %turn_now = arith.subi %i, %first : i32
    %stage = arith.remsi %turn_now, %c4 : i32
    %stage_a = tilus.slice_shared %sa[%stage] dims [0] : !tilus.shared<4x128x32xf16> -> !tilus.shared<128x32xf16>
    %stage_b = tilus.slice_shared %sb[%stage] dims [0] : !tilus.shared<4x32x128xf16> -> !tilus.shared<32x128xf16>
    %ta = tilus.load_shared %stage_a : !tilus.shared<128x32xf16> -> tensor<128x32xf16>
    %tb = tilus.load_shared %stage_b : !tilus.shared<32x128xf16> -> tensor<32x128xf16>
    %new = tilus.mma %ta, %tb, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %new : tensor<128x128xf32>
  }
  tilus.copy_async.wait_all

  tilus.semaphore_lock %turns[%block_m, %block_n], %part : !tilus.global<?x?xi32>
  %is_first = arith.cmpi eq, %part, %c0 : i32
  %sum = scf.if %is_first -> (tensor<128x128xf32>) {
    scf.yield %own : tensor<128x128xf32>
  } else {
    %before = tilus.load_global %sums[%row, %column] cache(global) : !tilus.global<?x?xf32> -> tensor<128x128xf32>
    %both = arith.addf %before, %own : tensor<128x128xf32>
    scf.yield %both : tensor<128x128xf32>
  }
  %next = arith.addi %part, %c1 : i32
  %is_last = arith.cmpi eq, %next, %parts : i32
  scf.if %is_last {
    %result = tilus.cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
    tilus.store_global %result, %gc[%row, %column] : tensor<128x128xf16>, !tilus.global<?x?xf16>
  } else {
    tilus.store_global %sum, %sums[%row, %column] : tensor<128x128xf32>, !tilus.global<?x?xf32>
  }
  %turn = arith.select %is_last, %c0, %next : i32
  tilus.semaphore_release %turns[%block_m, %block_n], %turn : !tilus.global<?x?xi32>
}
