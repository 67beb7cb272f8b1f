// RUN: tilus-opt %s --convert-tilus-to-nvvm --canonicalize --cse -split-input-file | FileCheck %s
// Moves between layouts: renamed slots, shuffles, a trip through shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The slots are in another order: nothing moves.
// CHECK-LABEL: llvm.func @rename(
// CHECK-NOT:   shfl
// CHECK-NOT:   nvvm.barrier
// CHECK:       llvm.return
#rep = #tilus.reg<shape = [64, 32], modes = [64, 32], spatial = [-2, 0], local = [1]>
#turned = #tilus.reg<shape = [64, 32], modes = [64, 2, 16], spatial = [-2, 0], local = [2, 1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @rename(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<64x32xf32> -> tensor<64x32xf32, #rep>
  %u = tilus.convert_layout %t : tensor<64x32xf32, #rep> -> tensor<64x32xf32, #turned>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<64x32xf32, #turned>, !tilus.global<64x32xf32>
}
}

// -----

// Two lanes swap halves: each offers the half that the other wants.
// CHECK-LABEL: llvm.func @shuffle(
// CHECK-NOT:     nvvm.barrier
// CHECK-COUNT-8: nvvm.shfl.sync idx
// CHECK-NOT:     shfl
// CHECK:         llvm.return
#pairs = #tilus.reg<shape = [64, 32], modes = [64, 2, 16], spatial = [0, 1], local = [2]>
#split = #tilus.reg<shape = [64, 32], modes = [64, 16, 2], spatial = [0, 2], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @shuffle(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<64x32xf32> -> tensor<64x32xf32, #pairs>
  %u = tilus.convert_layout %t : tensor<64x32xf32, #pairs> -> tensor<64x32xf32, #split>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<64x32xf32, #split>, !tilus.global<64x32xf32>
}
}

// -----

// Halves share the words of a shuffle.
// CHECK-LABEL: llvm.func @shuffle_halves(
// CHECK-COUNT-4: nvvm.shfl.sync idx
// CHECK-NOT:     shfl
// CHECK:         llvm.return
#pairs = #tilus.reg<shape = [64, 32], modes = [64, 2, 16], spatial = [0, 1], local = [2]>
#split = #tilus.reg<shape = [64, 32], modes = [64, 16, 2], spatial = [0, 2], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @shuffle_halves(%x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<64x32xf16>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<64x32xf16> -> tensor<64x32xf16, #pairs>
  %u = tilus.convert_layout %t : tensor<64x32xf16, #pairs> -> tensor<64x32xf16, #split>
  %wu = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<64x32xf16>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<64x32xf16, #split>, !tilus.global<64x32xf16>
}
}

// -----

// A long takes two words.
// CHECK-LABEL: llvm.func @shuffle_long(
// CHECK-COUNT-16: nvvm.shfl.sync idx
// CHECK-NOT:      shfl
// CHECK:          llvm.return
#pairs = #tilus.reg<shape = [64, 32], modes = [64, 2, 16], spatial = [0, 1], local = [2]>
#split = #tilus.reg<shape = [64, 32], modes = [64, 16, 2], spatial = [0, 2], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @shuffle_long(%x: !tilus.ptr<i64>, %y: !tilus.ptr<i64>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i64> -> !tilus.global<64x32xi64>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<64x32xi64> -> tensor<64x32xi64, #pairs>
  %u = tilus.convert_layout %t : tensor<64x32xi64, #pairs> -> tensor<64x32xi64, #split>
  %wu = tilus.global_view %y : !tilus.ptr<i64> -> !tilus.global<64x32xi64>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<64x32xi64, #split>, !tilus.global<64x32xi64>
}
}

// -----

// Rows to columns: through shared memory, by vectors where a side has them.
// CHECK-LABEL: llvm.func @shared(
// CHECK:       llvm.store {{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK:       nvvm.barrier
// CHECK:       llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK:       llvm.return
#pairs = #tilus.reg<shape = [64, 32], modes = [64, 2, 16], spatial = [0, 1], local = [2]>
#columns = #tilus.reg<shape = [64, 32], modes = [16, 4, 32], spatial = [1, 2], local = [0]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @shared(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<64x32xf32> -> tensor<64x32xf32, #pairs>
  %u = tilus.convert_layout %t : tensor<64x32xf32, #pairs> -> tensor<64x32xf32, #columns>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<64x32xf32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<64x32xf32, #columns>, !tilus.global<64x32xf32>
}
}

// -----

// A reshape that keeps the distribution costs nothing; another one moves.
// CHECK-LABEL: llvm.func @reshape_free(
// CHECK-NOT:   !llvm.ptr<3>
// CHECK:       llvm.return
#line = #tilus.reg<shape = [512], modes = [128, 4], spatial = [0], local = [1]>
#table = #tilus.reg<shape = [16, 32], modes = [16, 8, 4], spatial = [0, 1], local = [2]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @reshape_free(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<512xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<512xf32> -> tensor<512xf32, #line>
  %u = tilus.reshape %t : tensor<512xf32, #line> -> tensor<16x32xf32, #table>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<16x32xf32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<16x32xf32, #table>, !tilus.global<16x32xf32>
}
}

// -----

// CHECK-LABEL: llvm.func @reshape_moves(
// CHECK:       llvm.store {{.*}}!llvm.ptr<3>
// CHECK:       nvvm.barrier
// CHECK:       llvm.load {{.*}}!llvm.ptr<3>
// CHECK:       llvm.return
#line = #tilus.reg<shape = [512], modes = [128, 4], spatial = [0], local = [1]>
#across = #tilus.reg<shape = [16, 32], modes = [4, 4, 32], spatial = [1, 2], local = [0]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @reshape_moves(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<512xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<512xf32> -> tensor<512xf32, #line>
  %u = tilus.reshape %t : tensor<512xf32, #line> -> tensor<16x32xf32, #across>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<16x32xf32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<16x32xf32, #across>, !tilus.global<16x32xf32>
}
}
