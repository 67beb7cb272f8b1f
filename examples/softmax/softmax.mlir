// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Softmax of each row of a matrix, with f16 in memory and f32 in registers.
//
// A block takes 4 rows and walks over their columns in tiles of 256, twice: once for the maximum and the sum of
// exponentials, rescaling the sum whenever the maximum grows, and once for the results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @softmax(%rows: i32, %columns: i32, %x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %c4 = arith.constant 4 : i32
  %blocks = arith.ceildivsi %rows, %c4 : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c256 = arith.constant 256 : i32
  %block = tilus.block_id x
  %row = arith.muli %block, %c4 : i32
  %gx = tilus.global_view %x [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gy = tilus.global_view %y [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>

  %index = tilus.iota dim(1) : tensor<4x256xi32>
  %outside = arith.constant dense<0xFF800000> : tensor<4x256xf32>
  %max_init = arith.constant dense<0xFF800000> : tensor<4x1xf32>
  %sum_init = arith.constant dense<0.0> : tensor<4x1xf32>
  %max, %sum = scf.for %column = %c0 to %columns step %c256
      iter_args(%old_max = %max_init, %old_sum = %sum_init) -> (tensor<4x1xf32>, tensor<4x1xf32>) : i32 {
    %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<4x256xf16>
    %value = tilus.cast %half : tensor<4x256xf16> -> tensor<4x256xf32>
    // Columns beyond the row must not take part in the maximum.
    %left = arith.subi %columns, %column : i32
    %limit = tilus.broadcast %left : i32 -> tensor<4x256xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<4x256xi32>
    %masked = arith.select %is_inside, %value, %outside : tensor<4x256xi1>, tensor<4x256xf32>
    %tile_max = tilus.reduce max, %masked dim(1) keep_dim : tensor<4x256xf32> -> tensor<4x1xf32>
    %new_max = arith.maximumf %old_max, %tile_max : tensor<4x1xf32>
    %shift = tilus.broadcast %new_max : tensor<4x1xf32> -> tensor<4x256xf32>
    %shifted = arith.subf %masked, %shift : tensor<4x256xf32>
    %exp = math.exp %shifted : tensor<4x256xf32>
    %tile_sum = tilus.reduce add, %exp dim(1) keep_dim : tensor<4x256xf32> -> tensor<4x1xf32>
    %growth = arith.subf %old_max, %new_max : tensor<4x1xf32>
    %factor = math.exp %growth : tensor<4x1xf32>
    %scaled_sum = arith.mulf %old_sum, %factor : tensor<4x1xf32>
    %new_sum = arith.addf %scaled_sum, %tile_sum : tensor<4x1xf32>
    scf.yield %new_max, %new_sum : tensor<4x1xf32>, tensor<4x1xf32>
  }

  %shift = tilus.broadcast %max : tensor<4x1xf32> -> tensor<4x256xf32>
  %total = tilus.broadcast %sum : tensor<4x1xf32> -> tensor<4x256xf32>
  scf.for %column = %c0 to %columns step %c256 : i32 {
    %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<4x256xf16>
    %value = tilus.cast %half : tensor<4x256xf16> -> tensor<4x256xf32>
    %shifted = arith.subf %value, %shift : tensor<4x256xf32>
    %exp = math.exp %shifted : tensor<4x256xf32>
    %quotient = arith.divf %exp, %total : tensor<4x256xf32>
    %result = tilus.cast %quotient : tensor<4x256xf32> -> tensor<4x256xf16>
    tilus.store_global %result, %gy[%row, %column] : tensor<4x256xf16>, !tilus.global<?x?xf16>
  }
}
