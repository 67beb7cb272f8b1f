// RUN: tilus-opt %s --convert-tilus-to-nvvm --canonicalize --cse -split-input-file | FileCheck %s
// Reductions and scans: within threads, by shuffles, through scratch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One instruction sums the integers of a warp.
// CHECK-LABEL: llvm.func @redux(
// CHECK:       nvvm.redux.sync add
// CHECK-NOT:   shfl
// CHECK:       llvm.return
#warp = #tilus.reg<shape = [4, 32], modes = [4, 32], spatial = [0, 1], local = []>
#warp_sum = #tilus.reg<shape = [4], modes = [4], spatial = [0, -32], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @redux(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x32xi32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x32xi32> -> tensor<4x32xi32, #warp>
  %u = tilus.reduce add, %t dim(1) : tensor<4x32xi32, #warp> -> tensor<4xi32, #warp_sum>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<4xi32>
  tilus.store_global %u, %wu[%c0] : tensor<4xi32, #warp_sum>, !tilus.global<4xi32>
}
}

// -----

// Narrow integers are extended as their order wants it.
// CHECK-LABEL: llvm.func @redux_narrow(
// CHECK:       arith.extsi {{.*}} : i8 to i32
// CHECK:       nvvm.redux.sync max
// CHECK:       llvm.return
#warp = #tilus.reg<shape = [4, 32], modes = [4, 32], spatial = [0, 1], local = []>
#warp_sum = #tilus.reg<shape = [4], modes = [4], spatial = [0, -32], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @redux_narrow(%x: !tilus.ptr<i8>, %y: !tilus.ptr<i8>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i8> -> !tilus.global<4x32xi8>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x32xi8> -> tensor<4x32xi8, #warp>
  %u = tilus.reduce max, %t dim(1) : tensor<4x32xi8, #warp> -> tensor<4xi8, #warp_sum>
  %wu = tilus.global_view %y : !tilus.ptr<i8> -> !tilus.global<4xi8>
  tilus.store_global %u, %wu[%c0] : tensor<4xi8, #warp_sum>, !tilus.global<4xi8>
}
}

// -----

// Floats by butterflies, halves in f32.
// CHECK-LABEL: llvm.func @butterfly(
// CHECK:       arith.extf {{.*}} : f16 to f32
// CHECK:       nvvm.shfl.sync bfly {{.*}}, %c1_i32, %c31_i32
// CHECK:       arith.addf {{.*}} : f32
// CHECK:       nvvm.shfl.sync bfly {{.*}}, %c16_i32, %c31_i32
// CHECK:       arith.truncf {{.*}} : f32 to f16
// CHECK:       llvm.return
#warp = #tilus.reg<shape = [4, 32], modes = [4, 32], spatial = [0, 1], local = []>
#warp_sum = #tilus.reg<shape = [4], modes = [4], spatial = [0, -32], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @butterfly(%x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<4x32xf16>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x32xf16> -> tensor<4x32xf16, #warp>
  %u = tilus.reduce add, %t dim(1) : tensor<4x32xf16, #warp> -> tensor<4xf16, #warp_sum>
  %wu = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<4xf16>
  tilus.store_global %u, %wu[%c0] : tensor<4xf16, #warp_sum>, !tilus.global<4xf16>
}
}

// -----

// Across warps one lane of each leaves its value; all read the four. NaN is passed on.
// CHECK-LABEL: llvm.func @across_warps(
// CHECK:         arith.maximumf
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         st.shared.b32
// CHECK:         nvvm.barrier
// CHECK-COUNT-4: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr<3>
// CHECK:         llvm.return
#block = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
#block_sum = #tilus.reg<shape = [], modes = [], spatial = [-128], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @across_warps(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf32> -> tensor<256xf32, #block>
  %u = tilus.reduce max, %t dim(0) : tensor<256xf32, #block> -> tensor<f32, #block_sum>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<f32>
  tilus.store_global %u, %wu[] : tensor<f32, #block_sum>, !tilus.global<f32>
}
}

// -----

// Three lanes are no bits of the lane number: through scratch.
// CHECK-LABEL: llvm.func @three_lanes(
// CHECK-NOT:     shfl
// CHECK:         llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK:         nvvm.barrier
// CHECK-COUNT-3: llvm.load {{.*}} : !llvm.ptr<3> -> i32
// CHECK-NOT:     llvm.load {{.*}}!llvm.ptr<3>
// CHECK:         llvm.return
#three = #tilus.reg<shape = [32, 3], modes = [32, 3], spatial = [0, 1], local = []>
#three_sum = #tilus.reg<shape = [32], modes = [32], spatial = [0, -3], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @three_lanes(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(3) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<32x3xi32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<32x3xi32> -> tensor<32x3xi32, #three>
  %u = tilus.reduce add, %t dim(1) : tensor<32x3xi32, #three> -> tensor<32xi32, #three_sum>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<32xi32>
  tilus.store_global %u, %wu[%c0] : tensor<32xi32, #three_sum>, !tilus.global<32xi32>
}
}

// -----

// Chips without it shuffle.
// CHECK-LABEL: llvm.func @no_redux(
// CHECK-NOT:     nvvm.redux
// CHECK-COUNT-5: nvvm.shfl.sync bfly
// CHECK:         llvm.return
#warp = #tilus.reg<shape = [4, 64], modes = [4, 32, 2], spatial = [0, 1], local = [2]>
#warp_sum = #tilus.reg<shape = [4], modes = [4], spatial = [0, -32], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_75">} {
tilus.kernel @no_redux(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x64xi32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x64xi32> -> tensor<4x64xi32, #warp>
  %u = tilus.reduce add, %t dim(1) : tensor<4x64xi32, #warp> -> tensor<4xi32, #warp_sum>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<4xi32>
  tilus.store_global %u, %wu[%c0] : tensor<4xi32, #warp_sum>, !tilus.global<4xi32>
}
}

// -----

// A scan: slots first, then doubling distances over the lanes, then the slots get what came before.
// CHECK-LABEL: llvm.func @scan(
// CHECK:       nvvm.shfl.sync up {{.*}}, %c1_i32, %c0_i32
// CHECK:       nvvm.shfl.sync up {{.*}}, %c16_i32, %c0_i32
// CHECK:       nvvm.shfl.sync up {{.*}}, %c1_i32, %c0_i32
// CHECK-NOT:   shfl
// CHECK:       llvm.return
#warp = #tilus.reg<shape = [4, 64], modes = [4, 32, 2], spatial = [0, 1], local = [2]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_75">} {
tilus.kernel @scan(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x64xi32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x64xi32> -> tensor<4x64xi32, #warp>
  %u = tilus.scan add, %t dim(1) : tensor<4x64xi32, #warp>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<4x64xi32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<4x64xi32, #warp>, !tilus.global<4x64xi32>
}
}

// -----

// From the other end.
// CHECK-LABEL: llvm.func @scan_reverse(
// CHECK:       nvvm.shfl.sync down {{.*}}, %c1_i32, %c31_i32
// CHECK:       llvm.return
#warp = #tilus.reg<shape = [4, 64], modes = [4, 32, 2], spatial = [0, 1], local = [2]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_75">} {
tilus.kernel @scan_reverse(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x64xi32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<4x64xi32> -> tensor<4x64xi32, #warp>
  %u = tilus.scan add, %t dim(1) exclusive reverse : tensor<4x64xi32, #warp>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<4x64xi32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<4x64xi32, #warp>, !tilus.global<4x64xi32>
}
}
