// RUN: tilus-opt %s -o /dev/null
// RUN: %python %S/check.py --file %s --device cpu --check-hazards
// Sum of two vectors: the shortest kernel. A block adds 1024 elements; those beyond n are neither read nor written.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @vector_add(%n: i32, %a: !tilus.ptr<f32>, %b: !tilus.ptr<f32>, %c: !tilus.ptr<f32>) warps(4) grid {
  %tile = arith.constant 1024 : i32
  %blocks = arith.ceildivsi %n, %tile : i32
  tilus.grid [%blocks]
} {
  %tile = arith.constant 1024 : i32
  %block = tilus.block_id x
  %offset = arith.muli %block, %tile : i32
  %ga = tilus.global_view %a [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gb = tilus.global_view %b [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gc = tilus.global_view %c [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %ta = tilus.load_global %ga[%offset] : !tilus.global<?xf32> -> tensor<1024xf32>
  %tb = tilus.load_global %gb[%offset] : !tilus.global<?xf32> -> tensor<1024xf32>
  %sum = arith.addf %ta, %tb : tensor<1024xf32>
  tilus.store_global %sum, %gc[%offset] : tensor<1024xf32>, !tilus.global<?xf32>
}
