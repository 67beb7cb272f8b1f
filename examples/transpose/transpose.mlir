// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Transpose of a matrix through shared memory: both the loads and the stores walk along the rows of their matrix.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @transpose_f32(%m: i32, %n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %blocks_m = arith.ceildivsi %m, %c64 : i32
  %blocks_n = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%blocks_n, %blocks_m]
} {
  %c64 = arith.constant 64 : i32
  %block_n = tilus.block_id x
  %block_m = tilus.block_id y
  %row = arith.muli %block_m, %c64 : i32
  %column = arith.muli %block_n, %c64 : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<f32> -> !tilus.global<?x?xf32>
  %gy = tilus.global_view %y [%n, %m] : !tilus.ptr<f32> -> !tilus.global<?x?xf32>
  %rows = tilus.alloc_shared : !tilus.shared<64x64xf32>
  %columns = tilus.permute_shared %rows [1, 0] : !tilus.shared<64x64xf32> -> !tilus.shared<64x64xf32>
  %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf32> -> tensor<64x64xf32>
  tilus.store_shared %tile, %rows : tensor<64x64xf32>, !tilus.shared<64x64xf32>
  tilus.sync
  %transposed = tilus.load_shared %columns : !tilus.shared<64x64xf32> -> tensor<64x64xf32>
  tilus.store_global %transposed, %gy[%column, %row] : tensor<64x64xf32>, !tilus.global<?x?xf32>
}

tilus.kernel @transpose_f16(%m: i32, %n: i32, %x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %blocks_m = arith.ceildivsi %m, %c64 : i32
  %blocks_n = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%blocks_n, %blocks_m]
} {
  %c64 = arith.constant 64 : i32
  %block_n = tilus.block_id x
  %block_m = tilus.block_id y
  %row = arith.muli %block_m, %c64 : i32
  %column = arith.muli %block_n, %c64 : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gy = tilus.global_view %y [%n, %m] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %rows = tilus.alloc_shared : !tilus.shared<64x64xf16>
  %columns = tilus.permute_shared %rows [1, 0] : !tilus.shared<64x64xf16> -> !tilus.shared<64x64xf16>
  %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<64x64xf16>
  tilus.store_shared %tile, %rows : tensor<64x64xf16>, !tilus.shared<64x64xf16>
  tilus.sync
  %transposed = tilus.load_shared %columns : !tilus.shared<64x64xf16> -> tensor<64x64xf16>
  tilus.store_global %transposed, %gy[%column, %row] : tensor<64x64xf16>, !tilus.global<?x?xf16>
}
