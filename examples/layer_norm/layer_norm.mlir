// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Layer normalisation of each row: (x - mean) / sqrt(variance + epsilon) * weight + bias, with f16 in memory and f32
// in registers.
//
// A block takes 4 rows and walks over their columns in tiles of 256, three times: for the mean, for the variance
// around it, and for the results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @layer_norm(%rows: i32, %columns: i32, %epsilon: f32, %x: !tilus.ptr<f16>, %weight: !tilus.ptr<f16>,
                         %bias: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
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
  %gw = tilus.global_view %weight [%columns] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  %gb = tilus.global_view %bias [%columns] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  %count = arith.sitofp %columns : i32 to f32
  %counts = tilus.broadcast %count : f32 -> tensor<4x1xf32>
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>

  // What lies beyond the row is loaded as zero, which does not change the sum.
  %sum = scf.for %column = %c0 to %columns step %c256 iter_args(%old = %zero) -> (tensor<4x1xf32>) : i32 {
    %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<4x256xf16>
    %value = tilus.cast %half : tensor<4x256xf16> -> tensor<4x256xf32>
    %tile_sum = tilus.reduce add, %value dim(1) keep_dim : tensor<4x256xf32> -> tensor<4x1xf32>
    %new = arith.addf %old, %tile_sum : tensor<4x1xf32>
    scf.yield %new : tensor<4x1xf32>
  }
  %mean = arith.divf %sum, %counts : tensor<4x1xf32>
  %means = tilus.broadcast %mean : tensor<4x1xf32> -> tensor<4x256xf32>

  %index = tilus.iota dim(1) : tensor<4x256xi32>
  %outside = arith.constant dense<0.0> : tensor<4x256xf32>
  %squares = scf.for %column = %c0 to %columns step %c256 iter_args(%old = %zero) -> (tensor<4x1xf32>) : i32 {
    %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<4x256xf16>
    %value = tilus.cast %half : tensor<4x256xf16> -> tensor<4x256xf32>
    %left = arith.subi %columns, %column : i32
    %limit = tilus.broadcast %left : i32 -> tensor<4x256xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<4x256xi32>
    %difference = arith.subf %value, %means : tensor<4x256xf32>
    %masked = arith.select %is_inside, %difference, %outside : tensor<4x256xi1>, tensor<4x256xf32>
    %square = arith.mulf %masked, %masked : tensor<4x256xf32>
    %tile_sum = tilus.reduce add, %square dim(1) keep_dim : tensor<4x256xf32> -> tensor<4x1xf32>
    %new = arith.addf %old, %tile_sum : tensor<4x1xf32>
    scf.yield %new : tensor<4x1xf32>
  }
  %variance = arith.divf %squares, %counts : tensor<4x1xf32>
  %epsilons = tilus.broadcast %epsilon : f32 -> tensor<4x1xf32>
  %denominator = arith.addf %variance, %epsilons : tensor<4x1xf32>
  %deviation = math.sqrt %denominator : tensor<4x1xf32>
  %deviations = tilus.broadcast %deviation : tensor<4x1xf32> -> tensor<4x256xf32>

  scf.for %column = %c0 to %columns step %c256 : i32 {
    %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<4x256xf16>
    %value = tilus.cast %half : tensor<4x256xf16> -> tensor<4x256xf32>
    %half_weight = tilus.load_global %gw[%column] : !tilus.global<?xf16> -> tensor<256xf16>
    %row_weight = tilus.cast %half_weight : tensor<256xf16> -> tensor<256xf32>
    %weights = tilus.broadcast %row_weight : tensor<256xf32> -> tensor<4x256xf32>
    %half_bias = tilus.load_global %gb[%column] : !tilus.global<?xf16> -> tensor<256xf16>
    %row_bias = tilus.cast %half_bias : tensor<256xf16> -> tensor<256xf32>
    %biases = tilus.broadcast %row_bias : tensor<256xf32> -> tensor<4x256xf32>
    %difference = arith.subf %value, %means : tensor<4x256xf32>
    %normal = arith.divf %difference, %deviations : tensor<4x256xf32>
    %scaled = arith.mulf %normal, %weights : tensor<4x256xf32>
    %shifted = arith.addf %scaled, %biases : tensor<4x256xf32>
    %result = tilus.cast %shifted : tensor<4x256xf32> -> tensor<4x256xf16>
    tilus.store_global %result, %gy[%row, %column] : tensor<4x256xf16>, !tilus.global<?x?xf16>
  }
}
