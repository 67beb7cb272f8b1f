// RUN: tilus-translate %s --tilus-to-ptx -split-input-file | FileCheck %s
// Functions without libdevice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: .entry exp(
// CHECK:         fma.rn.sat.f32
// CHECK-COUNT-3: fma.rn.f32
// CHECK:         ex2.approx.ftz.f32
// CHECK:         ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @exp(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf32> -> tensor<128xf32, #own>
  %u = math.exp %t : tensor<128xf32, #own>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<128xf32>
  tilus.store_global %u, %wu[%c0] : tensor<128xf32, #own>, !tilus.global<128xf32>
}
}

// -----

// CHECK-LABEL: .entry exp_half(
// CHECK:       cvt.f32.f16
// CHECK:       ex2.approx.ftz.f32
// CHECK:       cvt.rn.f16.f32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @exp_half(%x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<128xf16>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf16> -> tensor<128xf16, #own>
  %u = math.exp %t : tensor<128xf16, #own>
  %wu = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<128xf16>
  tilus.store_global %u, %wu[%c0] : tensor<128xf16, #own>, !tilus.global<128xf16>
}
}

// -----

// A polynomial, since lg2.approx loses all digits near 1.
// CHECK-LABEL: .entry log(
// CHECK-NOT:   lg2
// CHECK:       fma.rn.f32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @log(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf32> -> tensor<128xf32, #own>
  %u = math.log %t : tensor<128xf32, #own>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<128xf32>
  tilus.store_global %u, %wu[%c0] : tensor<128xf32, #own>, !tilus.global<128xf32>
}
}

// -----

// CHECK-LABEL: .entry sqrt(
// CHECK:       sqrt.rn.f32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @sqrt(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf32> -> tensor<128xf32, #own>
  %u = math.sqrt %t : tensor<128xf32, #own>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<128xf32>
  tilus.store_global %u, %wu[%c0] : tensor<128xf32, #own>, !tilus.global<128xf32>
}
}

// -----

// CHECK-LABEL: .entry rsqrt(
// CHECK:       rsqrt.approx.f32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @rsqrt(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf32> -> tensor<128xf32, #own>
  %u = math.rsqrt %t : tensor<128xf32, #own>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<128xf32>
  tilus.store_global %u, %wu[%c0] : tensor<128xf32, #own>, !tilus.global<128xf32>
}
}

// -----

// By squaring, in a loop.
// CHECK-LABEL: .entry power(
// CHECK:       mul.lo.s32
// CHECK:       bra
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @power(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #own>
  %u = math.ipowi %t, %t : tensor<128xi32, #own>
  %wu = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  tilus.store_global %u, %wu[%c0] : tensor<128xi32, #own>, !tilus.global<128xi32>
}
}
