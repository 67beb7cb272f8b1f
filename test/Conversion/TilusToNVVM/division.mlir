// RUN: tilus-translate %s --tilus-to-ptx -split-input-file | FileCheck %s
// RUN: tilus-opt %s --convert-tilus-to-nvvm=fast-math -split-input-file | FileCheck %s --check-prefix=FAST
// Elements that share a divisor share its reciprocal. Out of the safe range they are divided one by one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL:   .entry rows(
// CHECK:         rcp.rn.f32
// CHECK-COUNT-8: mul.rn.f32
// CHECK:         div.rn.f32
// FAST-NOT:      rcp.rn
#rows = #tilus.reg<shape = [4, 256], modes = [4, 32, 8], spatial = [0, 1], local = [2]>
#row = #tilus.reg<shape = [4, 1], modes = [4], spatial = [0, -32], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @rows(%x: !tilus.ptr<f32>, %d: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<4x256xf32>
  %gd = tilus.global_view %d : !tilus.ptr<f32> -> !tilus.global<4x1xf32>
  %t = tilus.load_global %gx[%c0, %c0] : !tilus.global<4x256xf32> -> tensor<4x256xf32, #rows>
  %s = tilus.load_global %gd[%c0, %c0] : !tilus.global<4x1xf32> -> tensor<4x1xf32, #row>
  %b = tilus.broadcast %s : tensor<4x1xf32, #row> -> tensor<4x256xf32, #rows>
  %q = arith.divf %t, %b : tensor<4x256xf32, #rows>
  tilus.store_global %q, %gx[%c0, %c0] : tensor<4x256xf32, #rows>, !tilus.global<4x256xf32>
}
}

// -----

// CHECK-LABEL:   .entry single(
// CHECK-NOT:     rcp.rn
// CHECK:         div.rn.f32
// CHECK:         ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @single(%x: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %t = tilus.load_global %gx[%c0] : !tilus.global<128xf32> -> tensor<128xf32, #own>
  %u = arith.addf %t, %t : tensor<128xf32, #own>
  %q = arith.divf %t, %u : tensor<128xf32, #own>
  tilus.store_global %q, %gx[%c0] : tensor<128xf32, #own>, !tilus.global<128xf32>
}
}
