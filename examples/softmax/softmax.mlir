// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Softmax of each row of a matrix, with f16 in memory and f32 in registers.
//
// A block takes a row. A row of up to 8192 columns stays in registers, in a tile of the next size, and is read once;
// a longer one is read three times in tiles of 1024: for the maximum, for the sum of exponentials, and for the results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @softmax(%rows: i32, %columns: i32, %x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%rows]
} {
  %c0 = arith.constant 0 : i32
  %small = arith.constant 2048 : i32
  %tile = arith.constant 1024 : i32
  %large = arith.constant 8192 : i32
  %row = tilus.block_id x
  %gx = tilus.global_view %x [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gy = tilus.global_view %y [%rows, %columns] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %is_small = arith.cmpi sle, %columns, %small : i32
  %is_large = arith.cmpi sle, %columns, %large : i32
  scf.if %is_small {
    %index = tilus.iota dim(0) : tensor<2048xi32>
    %limit = tilus.broadcast %columns : i32 -> tensor<2048xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<2048xi32>
    %half = tilus.load_global %gx[%row, %c0] : !tilus.global<?x?xf16> -> tensor<2048xf16>
    %value = tilus.cast %half : tensor<2048xf16> -> tensor<2048xf32>
    %outside = arith.constant dense<0xFF800000> : tensor<2048xf32>
    %masked = arith.select %is_inside, %value, %outside : tensor<2048xi1>, tensor<2048xf32>
    %max = tilus.reduce max, %masked dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
    %shift = tilus.broadcast %max : tensor<1xf32> -> tensor<2048xf32>
    %shifted = arith.subf %masked, %shift : tensor<2048xf32>
    %scale = arith.constant dense<1.44269504> : tensor<2048xf32>
    %scaled = arith.mulf %shifted, %scale : tensor<2048xf32>
    %exp = math.exp2 %scaled : tensor<2048xf32>
    %sum = tilus.reduce add, %exp dim(0) keep_dim : tensor<2048xf32> -> tensor<1xf32>
    %one = arith.constant dense<1.0> : tensor<1xf32>
    %inverse = arith.divf %one, %sum : tensor<1xf32>
    %factor = tilus.broadcast %inverse : tensor<1xf32> -> tensor<2048xf32>
    %quotient = arith.mulf %exp, %factor : tensor<2048xf32>
    %result = tilus.cast %quotient : tensor<2048xf32> -> tensor<2048xf16>
    tilus.store_global %result, %gy[%row, %c0] : tensor<2048xf16>, !tilus.global<?x?xf16>
  } else {
    scf.if %is_large {
      %index = tilus.iota dim(0) : tensor<8192xi32>
      %limit = tilus.broadcast %columns : i32 -> tensor<8192xi32>
      %is_inside = arith.cmpi slt, %index, %limit : tensor<8192xi32>
      %half = tilus.load_global %gx[%row, %c0] : !tilus.global<?x?xf16> -> tensor<8192xf16>
      %value = tilus.cast %half : tensor<8192xf16> -> tensor<8192xf32>
      %outside = arith.constant dense<0xFF800000> : tensor<8192xf32>
      %masked = arith.select %is_inside, %value, %outside : tensor<8192xi1>, tensor<8192xf32>
      %max = tilus.reduce max, %masked dim(0) keep_dim : tensor<8192xf32> -> tensor<1xf32>
      %shift = tilus.broadcast %max : tensor<1xf32> -> tensor<8192xf32>
      %shifted = arith.subf %masked, %shift : tensor<8192xf32>
      %scale = arith.constant dense<1.44269504> : tensor<8192xf32>
      %scaled = arith.mulf %shifted, %scale : tensor<8192xf32>
      %exp = math.exp2 %scaled : tensor<8192xf32>
      %sum = tilus.reduce add, %exp dim(0) keep_dim : tensor<8192xf32> -> tensor<1xf32>
      %one = arith.constant dense<1.0> : tensor<1xf32>
      %inverse = arith.divf %one, %sum : tensor<1xf32>
      %factor = tilus.broadcast %inverse : tensor<1xf32> -> tensor<8192xf32>
      %quotient = arith.mulf %exp, %factor : tensor<8192xf32>
      %result = tilus.cast %quotient : tensor<8192xf32> -> tensor<8192xf16>
      tilus.store_global %result, %gy[%row, %c0] : tensor<8192xf16>, !tilus.global<?x?xf16>
    } else {
      // Each element of the tile keeps the maximum of its own columns, then the sum of their exponentials: threads meet
      // once a pass.
      %index = tilus.iota dim(0) : tensor<1024xi32>
      %outside = arith.constant dense<0xFF800000> : tensor<1024xf32>
      %zero = arith.constant dense<0.0> : tensor<1024xf32>
      %scale = arith.constant dense<1.44269504> : tensor<1024xf32>
      %maxima = scf.for %column = %c0 to %columns step %tile iter_args(%old = %outside) -> (tensor<1024xf32>) : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<1024xf16>
        %value = tilus.cast %half : tensor<1024xf16> -> tensor<1024xf32>
        %left = arith.subi %columns, %column : i32
        %limit = tilus.broadcast %left : i32 -> tensor<1024xi32>
        %is_inside = arith.cmpi slt, %index, %limit : tensor<1024xi32>
        %masked = arith.select %is_inside, %value, %outside : tensor<1024xi1>, tensor<1024xf32>
        %new = arith.maximumf %old, %masked : tensor<1024xf32>
        scf.yield %new : tensor<1024xf32>
      }
      %max = tilus.reduce max, %maxima dim(0) keep_dim : tensor<1024xf32> -> tensor<1xf32>
      %shift = tilus.broadcast %max : tensor<1xf32> -> tensor<1024xf32>
      %sums = scf.for %column = %c0 to %columns step %tile iter_args(%old = %zero) -> (tensor<1024xf32>) : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<1024xf16>
        %value = tilus.cast %half : tensor<1024xf16> -> tensor<1024xf32>
        %left = arith.subi %columns, %column : i32
        %limit = tilus.broadcast %left : i32 -> tensor<1024xi32>
        %is_inside = arith.cmpi slt, %index, %limit : tensor<1024xi32>
        %shifted = arith.subf %value, %shift : tensor<1024xf32>
        %scaled = arith.mulf %shifted, %scale : tensor<1024xf32>
        %exp = math.exp2 %scaled : tensor<1024xf32>
        %part = arith.select %is_inside, %exp, %zero : tensor<1024xi1>, tensor<1024xf32>
        %new = arith.addf %old, %part : tensor<1024xf32>
        scf.yield %new : tensor<1024xf32>
      }
      %sum = tilus.reduce add, %sums dim(0) keep_dim : tensor<1024xf32> -> tensor<1xf32>
      %one = arith.constant dense<1.0> : tensor<1xf32>
      %inverse = arith.divf %one, %sum : tensor<1xf32>
      %factor = tilus.broadcast %inverse : tensor<1xf32> -> tensor<1024xf32>
      scf.for %column = %c0 to %columns step %tile : i32 {
        %half = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf16> -> tensor<1024xf16>
        %value = tilus.cast %half : tensor<1024xf16> -> tensor<1024xf32>
        %shifted = arith.subf %value, %shift : tensor<1024xf32>
        %scaled = arith.mulf %shifted, %scale : tensor<1024xf32>
        %exp = math.exp2 %scaled : tensor<1024xf32>
        %quotient = arith.mulf %exp, %factor : tensor<1024xf32>
        %result = tilus.cast %quotient : tensor<1024xf32> -> tensor<1024xf16>
        tilus.store_global %result, %gy[%row, %column] : tensor<1024xf16>, !tilus.global<?x?xf16>
      }
    }
  }
}
