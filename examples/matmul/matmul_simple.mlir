// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Product of f16 matrices, c[m, n] = a[m, k] b[k, n], summed in f32: from global memory straight to registers.
//
// A block computes a tile of 64 by 64. What lies beyond a matrix is loaded as zero and adds nothing.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @matmul_simple(%m: i32, %n: i32, %k: i32, %a: !tilus.ptr<f16>, %b: !tilus.ptr<f16>,
                            %c: !tilus.ptr<f16>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %blocks_m = arith.ceildivsi %m, %c64 : i32
  %blocks_n = arith.ceildivsi %n, %c64 : i32
  tilus.grid [%blocks_m, %blocks_n]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %block_m = tilus.block_id x
  %block_n = tilus.block_id y
  %row = arith.muli %block_m, %c64 : i32
  %column = arith.muli %block_n, %c64 : i32
  %ga = tilus.global_view %a [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gb = tilus.global_view %b [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gc = tilus.global_view %c [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %ta = tilus.load_global %ga[%row, %i] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
    %tb = tilus.load_global %gb[%i, %column] : !tilus.global<?x?xf16> -> tensor<32x64xf16>
    %new = tilus.mma %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %new : tensor<64x64xf32>
  }
  %result = tilus.cast %sum : tensor<64x64xf32> -> tensor<64x64xf16>
  tilus.store_global %result, %gc[%row, %column] : tensor<64x64xf16>, !tilus.global<?x?xf16>
}
