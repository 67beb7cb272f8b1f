// RUN: tilus-opt %s --tilus-simplify-bounds --tilus-infer-layouts --tilus-verify-phase | FileCheck %s
// A row's sum is stretched to a tile that is loaded: the load's layout wins, not one that follows from the sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: tilus.kernel @divide_by_sums(
// CHECK-NOT: convert_layout
// CHECK:     tilus.load_global {{.*}} -> tensor<8x256xf16, #tilus.reg<[[ROWS:.*modes = \[8, 32, 8\], spatial = \[0, 1\], local = \[2\]]]>>
// CHECK:     tilus.reduce add
// CHECK:     tilus.load_global {{.*}} -> tensor<8x256xf16, #tilus.reg<[[ROWS]]>>
// CHECK:     tilus.broadcast {{.*}} -> tensor<8x256xf32, #tilus.reg<[[ROWS]]>>
// CHECK:     tilus.store_global {{.*}} : tensor<8x256xf16, #tilus.reg<[[ROWS]]>>
tilus.kernel @divide_by_sums(%x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(8) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %source = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<8x256xf16>
  %result = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<8x256xf16>
  %first = tilus.load_global %source[%c0, %c0] : !tilus.global<8x256xf16> -> tensor<8x256xf16>
  %a = tilus.cast %first : tensor<8x256xf16> -> tensor<8x256xf32>
  %sums = tilus.reduce add, %a dim(1) keep_dim : tensor<8x256xf32> -> tensor<8x1xf32>
  %second = tilus.load_global %source[%c0, %c0] : !tilus.global<8x256xf16> -> tensor<8x256xf16>
  %b = tilus.cast %second : tensor<8x256xf16> -> tensor<8x256xf32>
  %all = tilus.broadcast %sums : tensor<8x1xf32> -> tensor<8x256xf32>
  %quotient = arith.divf %b, %all : tensor<8x256xf32>
  %half = tilus.cast %quotient : tensor<8x256xf32> -> tensor<8x256xf16>
  tilus.store_global %half, %result[%c0, %c0] : tensor<8x256xf16>, !tilus.global<8x256xf16>
}
