// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Product of f16 matrices, c[m, n] = a[m, k] b[k, n], summed in f32: through shared memory.
//
// The threads of a block load tiles of a and b once, with wide accesses, and share them: each element is read from
// global memory once a block instead of once a warp.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @matmul_shared(%m: i32, %n: i32, %k: i32, %a: !tilus.ptr<f16>, %b: !tilus.ptr<f16>,
                            %c: !tilus.ptr<f16>) warps(8) grid {
  %c128 = arith.constant 128 : i32
  %blocks_m = arith.ceildivsi %m, %c128 : i32
  %blocks_n = arith.ceildivsi %n, %c128 : i32
  tilus.grid [%blocks_m, %blocks_n]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c128 = arith.constant 128 : i32
  %block_m = tilus.block_id x
  %block_n = tilus.block_id y
  %row = arith.muli %block_m, %c128 : i32
  %column = arith.muli %block_n, %c128 : i32
  %ga = tilus.global_view %a [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gb = tilus.global_view %b [%k, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %gc = tilus.global_view %c [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %sa = tilus.alloc_shared : !tilus.shared<128x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<32x128xf16>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %sum = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %la = tilus.load_global %ga[%row, %i] : !tilus.global<?x?xf16> -> tensor<128x32xf16>
    %lb = tilus.load_global %gb[%i, %column] : !tilus.global<?x?xf16> -> tensor<32x128xf16>
    // The previous step's tiles have been read by all threads.
    tilus.sync
    tilus.store_shared %la, %sa : tensor<128x32xf16>, !tilus.shared<128x32xf16>
    tilus.store_shared %lb, %sb : tensor<32x128xf16>, !tilus.shared<32x128xf16>
    tilus.sync
    %ta = tilus.load_shared %sa : !tilus.shared<128x32xf16> -> tensor<128x32xf16>
    %tb = tilus.load_shared %sb : !tilus.shared<32x128xf16> -> tensor<32x128xf16>
    %new = tilus.mma %ta, %tb, %acc : tensor<128x32xf16>, tensor<32x128xf16>, tensor<128x128xf32>
    scf.yield %new : tensor<128x128xf32>
  }
  %result = tilus.cast %sum : tensor<128x128xf32> -> tensor<128x128xf16>
  tilus.store_global %result, %gc[%row, %column] : tensor<128x128xf16>, !tilus.global<?x?xf16>
}
