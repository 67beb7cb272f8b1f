// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Layer normalisation of each row: (x - mean) / sqrt(variance + epsilon) * weight + bias, with f16 in memory and f32
// in registers.
//
// A block takes a row. A row of up to 8192 columns stays in registers, in a tile of the next size, and is read once;
// a longer one is read three times in tiles of 2048: for the mean, for the variance around it, and for the results.
// What lies beyond the row is loaded as zero, which does not change the sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @layer_norm(%rows: i32, %columns: i32, %epsilon: f32, %x: !tilus.ptr<f16>, %weight: !tilus.ptr<f16>,
                         %bias: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(8) grid {
  tilus.grid [%rows]
} {
  %c0 = arith.constant 0 : i32
  %small = arith.constant 2048 : i32
  %large = arith.constant 8192 : i32
  %row = tilus.block_id x
  %gx = tilus.global_view %x [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gy = tilus.global_view %y [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gw = tilus.global_view %weight [%columns] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  %gb = tilus.global_view %bias [%columns] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  %count = arith.sitofp %columns : i32 to f32
  %counts = tilus.broadcast %count : f32 -> tensor<1xf32>
  %epsilons = tilus.broadcast %epsilon : f32 -> tensor<1xf32>
  %is_small = arith.cmpi sle, %columns, %small : i32
  %is_large = arith.cmpi sle, %columns, %large : i32
  scf.if %is_small {
    %index = tilus.iota dim(0) : tensor<2048xi32>
    %limit = tilus.broadcast %columns : i32 -> tensor<2048xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<2048xi32>
    %zero = arith.constant dense<0.0> : tensor<2048xf32>
    %half = tilus.load_global %gx[%row, %c0] : !tilus.global<?x?xf16> -> tensor<2048xf16>
    %half_weight = tilus.load_global %gw[%c0] : !tilus.global<?xf16> -> tensor<2048xf16>
    %half_bias = tilus.load_global %gb[%c0] : !tilus.global<?xf16> -> tensor<2048xf16>
    %value = tilus.cast %half : tensor<2048xf16> -> tensor<2048xf32>
    %sum = tilus.reduce add, %value dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
    %mean = arith.divf %sum, %counts : tensor<1xf32>
    %means = tilus.broadcast %mean : tensor<1xf32> -> tensor<2048xf32>
    %difference = arith.subf %value, %means : tensor<2048xf32>
    %masked = arith.select %is_inside, %difference, %zero : tensor<2048xi1>, tensor<2048xf32>
    %square = arith.mulf %masked, %masked : tensor<2048xf32>
    %squares = tilus.reduce add, %square dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
    %variance = arith.divf %squares, %counts : tensor<1xf32>
    %denominator = arith.addf %variance, %epsilons : tensor<1xf32>
    %factor = math.rsqrt %denominator : tensor<1xf32>
    %factors = tilus.broadcast %factor : tensor<1xf32> -> tensor<2048xf32>
    %weights = tilus.cast %half_weight : tensor<2048xf16> -> tensor<2048xf32>
    %biases = tilus.cast %half_bias : tensor<2048xf16> -> tensor<2048xf32>
    %normal = arith.mulf %difference, %factors : tensor<2048xf32>
    %scaled = arith.mulf %normal, %weights : tensor<2048xf32>
    %shifted = arith.addf %scaled, %biases : tensor<2048xf32>
    %result = tilus.cast %shifted : tensor<2048xf32> -> tensor<2048xf16>
    tilus.store_global %result, %gy[%row, %c0] : tensor<2048xf16>, !tilus.global<?x?xf16>
  } else {
    scf.if %is_large {
      %index = tilus.iota dim(0) : tensor<8192xi32>
      %limit = tilus.broadcast %columns : i32 -> tensor<8192xi32>
      %is_inside = arith.cmpi slt, %index, %limit : tensor<8192xi32>
      %zero = arith.constant dense<0.0> : tensor<8192xf32>
      %half = tilus.load_global %gx[%row, %c0] : !tilus.global<?x?xf16> -> tensor<8192xf16>
      %half_weight = tilus.load_global %gw[%c0] : !tilus.global<?xf16> -> tensor<8192xf16>
      %half_bias = tilus.load_global %gb[%c0] : !tilus.global<?xf16> -> tensor<8192xf16>
      %value = tilus.cast %half : tensor<8192xf16> -> tensor<8192xf32>
      %sum = tilus.reduce add, %value dim(0) keep_dim : tensor<8192xf32> -> tensor<1xf32>
      %mean = arith.divf %sum, %counts : tensor<1xf32>
      %means = tilus.broadcast %mean : tensor<1xf32> -> tensor<8192xf32>
      %difference = arith.subf %value, %means : tensor<8192xf32>
      %masked = arith.select %is_inside, %difference, %zero : tensor<8192xi1>, tensor<8192xf32>
      %square = arith.mulf %masked, %masked : tensor<8192xf32>
      %squares = tilus.reduce add, %square dim(0) keep_dim : tensor<8192xf32> -> tensor<1xf32>
      %variance = arith.divf %squares, %counts : tensor<1xf32>
      %denominator = arith.addf %variance, %epsilons : tensor<1xf32>
      %factor = math.rsqrt %denominator : tensor<1xf32>
      %factors = tilus.broadcast %factor : tensor<1xf32> -> tensor<8192xf32>
      %weights = tilus.cast %half_weight : tensor<8192xf16> -> tensor<8192xf32>
      %biases = tilus.cast %half_bias : tensor<8192xf16> -> tensor<8192xf32>
      %normal = arith.mulf %difference, %factors : tensor<8192xf32>
      %scaled = arith.mulf %normal, %weights : tensor<8192xf32>
      %shifted = arith.addf %scaled, %biases : tensor<8192xf32>
      %result = tilus.cast %shifted : tensor<8192xf32> -> tensor<8192xf16>
      tilus.store_global %result, %gy[%row, %c0] : tensor<8192xf16>, !tilus.global<?x?xf16>
    } else {
      // Each element of the tile sums its own columns: threads meet once a pass.
      %index = tilus.iota dim(0) : tensor<2048xi32>
      %zero = arith.constant dense<0.0> : tensor<2048xf32>
      %sums = scf.for %column = %c0 to %columns step %small iter_args(%old = %zero) -> (tensor<2048xf32>) : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<2048xf16>
        %value = tilus.cast %half : tensor<2048xf16> -> tensor<2048xf32>
        %new = arith.addf %old, %value : tensor<2048xf32>
        scf.yield %new : tensor<2048xf32>
      }
      %sum = tilus.reduce add, %sums dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
      %mean = arith.divf %sum, %counts : tensor<1xf32>
      %means = tilus.broadcast %mean : tensor<1xf32> -> tensor<2048xf32>
      %parts = scf.for %column = %c0 to %columns step %small iter_args(%old = %zero) -> (tensor<2048xf32>) : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<2048xf16>
        %value = tilus.cast %half : tensor<2048xf16> -> tensor<2048xf32>
        %left = arith.subi %columns, %column : i32
        %limit = tilus.broadcast %left : i32 -> tensor<2048xi32>
        %is_inside = arith.cmpi slt, %index, %limit : tensor<2048xi32>
        %difference = arith.subf %value, %means : tensor<2048xf32>
        %masked = arith.select %is_inside, %difference, %zero : tensor<2048xi1>, tensor<2048xf32>
        %square = arith.mulf %masked, %masked : tensor<2048xf32>
        %new = arith.addf %old, %square : tensor<2048xf32>
        scf.yield %new : tensor<2048xf32>
      }
      %squares = tilus.reduce add, %parts dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
      %variance = arith.divf %squares, %counts : tensor<1xf32>
      %denominator = arith.addf %variance, %epsilons : tensor<1xf32>
      %factor = math.rsqrt %denominator : tensor<1xf32>
      %factors = tilus.broadcast %factor : tensor<1xf32> -> tensor<2048xf32>
      scf.for %column = %c0 to %columns step %small : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<2048xf16>
        %half_weight = tilus.load_global %gw[%column] : !tilus.global<?xf16> -> tensor<2048xf16>
        %half_bias = tilus.load_global %gb[%column] : !tilus.global<?xf16> -> tensor<2048xf16>
        %value = tilus.cast %half : tensor<2048xf16> -> tensor<2048xf32>
        %weights = tilus.cast %half_weight : tensor<2048xf16> -> tensor<2048xf32>
        %biases = tilus.cast %half_bias : tensor<2048xf16> -> tensor<2048xf32>
        %difference = arith.subf %value, %means : tensor<2048xf32>
        %normal = arith.mulf %difference, %factors : tensor<2048xf32>
        %scaled = arith.mulf %normal, %weights : tensor<2048xf32>
        %shifted = arith.addf %scaled, %biases : tensor<2048xf32>
        %result = tilus.cast %shifted : tensor<2048xf32> -> tensor<2048xf16>
        tilus.store_global %result, %gy[%row, %column] : tensor<2048xf16>, !tilus.global<?x?xf16>
      }
    }
  }
}
