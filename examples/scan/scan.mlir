// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Prefix sums along the rows of a matrix. A block takes 4 rows and carries their sums from column tile to column tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// y[i, j] = x[i, 0] + … + x[i, j], of f32.
tilus.kernel @scan_inclusive(%m: i32, %n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %c4 = arith.constant 4 : i32
  %blocks = arith.ceildivsi %m, %c4 : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c256 = arith.constant 256 : i32
  %block = tilus.block_id x
  %row = arith.muli %block, %c4 : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<f32> -> !tilus.global<?x?xf32>
  %gy = tilus.global_view %y [%m, %n] : !tilus.ptr<f32> -> !tilus.global<?x?xf32>
  %zero = arith.constant dense<0.0> : tensor<4x1xf32>
  scf.for %column = %c0 to %n step %c256 iter_args(%carry = %zero) -> (tensor<4x1xf32>) : i32 {
    %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf32> -> tensor<4x256xf32>
    %prefix = tilus.scan add, %tile dim(1) : tensor<4x256xf32>
    %carries = tilus.broadcast %carry : tensor<4x1xf32> -> tensor<4x256xf32>
    %result = arith.addf %prefix, %carries : tensor<4x256xf32>
    tilus.store_global %result, %gy[%row, %column] : tensor<4x256xf32>, !tilus.global<?x?xf32>
    %sum = tilus.reduce add, %tile dim(1) keep_dim : tensor<4x256xf32> -> tensor<4x1xf32>
    %new_carry = arith.addf %carry, %sum : tensor<4x1xf32>
    scf.yield %new_carry : tensor<4x1xf32>
  }
}

// y[i, j] = x[i, 0] + … + x[i, j - 1], of i32; sums wrap.
tilus.kernel @scan_exclusive(%m: i32, %n: i32, %x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %c4 = arith.constant 4 : i32
  %blocks = arith.ceildivsi %m, %c4 : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %c256 = arith.constant 256 : i32
  %block = tilus.block_id x
  %row = arith.muli %block, %c4 : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<i32> -> !tilus.global<?x?xi32>
  %gy = tilus.global_view %y [%m, %n] : !tilus.ptr<i32> -> !tilus.global<?x?xi32>
  %zero = arith.constant dense<0> : tensor<4x1xi32>
  scf.for %column = %c0 to %n step %c256 iter_args(%carry = %zero) -> (tensor<4x1xi32>) : i32 {
    %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xi32> -> tensor<4x256xi32>
    %prefix = tilus.scan add, %tile dim(1) exclusive : tensor<4x256xi32>
    %carries = tilus.broadcast %carry : tensor<4x1xi32> -> tensor<4x256xi32>
    %result = arith.addi %prefix, %carries : tensor<4x256xi32>
    tilus.store_global %result, %gy[%row, %column] : tensor<4x256xi32>, !tilus.global<?x?xi32>
    %sum = tilus.reduce add, %tile dim(1) keep_dim : tensor<4x256xi32> -> tensor<4x1xi32>
    %new_carry = arith.addi %carry, %sum : tensor<4x1xi32>
    scf.yield %new_carry : tensor<4x1xi32>
  }
}
