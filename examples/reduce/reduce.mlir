// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Sums of a matrix along each of its axes, and the maximum of each row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// y[i] = sum of x[i, j] over j. A block takes 4 rows and collects column tiles elementwise before it reduces once.
tilus.kernel @sum_rows(%m: i32, %n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
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
  %gy = tilus.global_view %y [%m] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %zero = arith.constant dense<0.0> : tensor<4x256xf32>
  %partial = scf.for %column = %c0 to %n step %c256 iter_args(%old = %zero) -> (tensor<4x256xf32>) : i32 {
    %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf32> -> tensor<4x256xf32>
    %new = arith.addf %old, %tile : tensor<4x256xf32>
    scf.yield %new : tensor<4x256xf32>
  }
  %sum = tilus.reduce add, %partial dim(1) : tensor<4x256xf32> -> tensor<4xf32>
  tilus.store_global %sum, %gy[%row] : tensor<4xf32>, !tilus.global<?xf32>
}

// y[j] = sum of x[i, j] over i. A block takes 64 columns.
tilus.kernel @sum_columns(%m: i32, %n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %blocks = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %c64 = arith.constant 64 : i32
  %block = tilus.block_id x
  %column = arith.muli %block, %c64 : i32
  %gx = tilus.global_view %x [%m, %n] : !tilus.ptr<f32> -> !tilus.global<?x?xf32>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %partial = scf.for %row = %c0 to %m step %c16 iter_args(%old = %zero) -> (tensor<16x64xf32>) : i32 {
    %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xf32> -> tensor<16x64xf32>
    %new = arith.addf %old, %tile : tensor<16x64xf32>
    scf.yield %new : tensor<16x64xf32>
  }
  %sum = tilus.reduce add, %partial dim(0) : tensor<16x64xf32> -> tensor<64xf32>
  tilus.store_global %sum, %gy[%column] : tensor<64xf32>, !tilus.global<?xf32>
}

// y[i] = maximum of x[i, j] over j, of 32-bit integers. A tile that overlaps the end of the row is filled with the
// least integer.
tilus.kernel @max_rows(%m: i32, %n: i32, %x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
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
  %gy = tilus.global_view %y [%m] : !tilus.ptr<i32> -> !tilus.global<?xi32>
  %index = tilus.iota dim(1) : tensor<4x256xi32>
  %least = arith.constant dense<-2147483648> : tensor<4x256xi32>
  %partial = scf.for %column = %c0 to %n step %c256 iter_args(%old = %least) -> (tensor<4x256xi32>) : i32 {
    %tile = tilus.load_global %gx[%row, %column] : !tilus.global<?x?xi32> -> tensor<4x256xi32>
    %left = arith.subi %n, %column : i32
    %limit = tilus.broadcast %left : i32 -> tensor<4x256xi32>
    %is_inside = arith.cmpi slt, %index, %limit : tensor<4x256xi32>
    %masked = arith.select %is_inside, %tile, %least : tensor<4x256xi1>, tensor<4x256xi32>
    %new = arith.maxsi %old, %masked : tensor<4x256xi32>
    scf.yield %new : tensor<4x256xi32>
  }
  %max = tilus.reduce max, %partial dim(1) : tensor<4x256xi32> -> tensor<4xi32>
  tilus.store_global %max, %gy[%row] : tensor<4xi32>, !tilus.global<?xi32>
}
