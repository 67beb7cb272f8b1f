// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Histogram of integers in 256 bins: atomics on a block's own counts in shared memory, then one addition for each bin
// to the counts in global memory, which must be zero at the start. Values outside the bins are not counted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @histogram(%n: i32, %x: !tilus.ptr<i32>, %counts: !tilus.ptr<i32>) warps(8) grid {
  // At most 512 blocks, each of which takes every 512th tile.
  %tile = arith.constant 1024 : i32
  %most = arith.constant 512 : i32
  %tiles = arith.ceildivsi %n, %tile : i32
  %blocks = arith.minsi %tiles, %most : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %tile = arith.constant 1024 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %gcounts = tilus.global_view %counts : !tilus.ptr<i32> -> !tilus.global<256xi32>
  %bins = tilus.alloc_shared : !tilus.shared<256xi32>
  %zero = arith.constant dense<0> : tensor<256xi32>
  tilus.store_shared %zero, %bins : tensor<256xi32>, !tilus.shared<256xi32>
  tilus.sync

  %index = tilus.iota dim(0) : tensor<1024xi32>
  %one = arith.constant dense<1> : tensor<1024xi32>
  %nowhere = arith.constant dense<-1> : tensor<1024xi32>
  %block = tilus.block_id x
  %blocks = tilus.grid_dim x
  %begin = arith.muli %block, %tile : i32
  %step = arith.muli %blocks, %tile : i32
  scf.for %offset = %begin to %n step %step : i32 {
    %values = tilus.load_global %gx[%offset] : !tilus.global<?xi32> -> tensor<1024xi32>
    // Elements beyond n are loaded as zero and must not be counted.
    %left = arith.subi %n, %offset : i32
    %limit = tilus.broadcast %left : i32 -> tensor<1024xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<1024xi32>
    %bin = arith.select %is_inside, %values, %nowhere : tensor<1024xi1>, tensor<1024xi32>
    tilus.atomic_scatter add, %bins dim(0), %bin, %one : !tilus.shared<256xi32>, tensor<1024xi32>, tensor<1024xi32>
  }

  tilus.sync
  %found = tilus.load_shared %bins : !tilus.shared<256xi32> -> tensor<256xi32>
  tilus.atomic add, %gcounts[%c0], %found : !tilus.global<256xi32>, tensor<256xi32>
}
