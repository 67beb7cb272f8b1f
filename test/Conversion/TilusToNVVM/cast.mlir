// RUN: tilus-translate %s --tilus-to-ptx -split-input-file | FileCheck %s
// Conversions: the target's where it has them, else integer arithmetic.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pairs, without a comparison.
// CHECK-LABEL: .entry f8_saturate(
// CHECK:       cvt.rn.satfinite.e4m3x2.f32
// CHECK-NOT:   setp
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @f8_saturate(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f8E4M3FN>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf32> -> tensor<256xf32, #pair>
  %u = tilus.cast %t saturate : tensor<256xf32, #pair> -> tensor<256xf8E4M3FN, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f8E4M3FN> -> !tilus.global<256xf8E4M3FN>
  tilus.store_global %u, %wu[%c0] : tensor<256xf8E4M3FN, #pair>, !tilus.global<256xf8E4M3FN>
}
}

// -----

// What rounds beyond the largest finite value becomes infinity: 61440 and above.
// CHECK-LABEL: .entry f8(
// CHECK:       cvt.rn.satfinite.e5m2x2.f32
// CHECK:       setp.ge.f32 {{.*}}, 0f47700000;
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @f8(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f8E5M2>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf32> -> tensor<256xf32, #pair>
  %u = tilus.cast %t : tensor<256xf32, #pair> -> tensor<256xf8E5M2, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f8E5M2> -> !tilus.global<256xf8E5M2>
  tilus.store_global %u, %wu[%c0] : tensor<256xf8E5M2, #pair>, !tilus.global<256xf8E5M2>
}
}

// -----

// CHECK-LABEL: .entry from_f8(
// CHECK:       cvt.rn.f16x2.e4m3x2
// CHECK:       cvt.f32.f16
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @from_f8(%x: !tilus.ptr<f8E4M3FN>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f8E4M3FN> -> !tilus.global<256xf8E4M3FN>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf8E4M3FN> -> tensor<256xf8E4M3FN, #pair>
  %u = tilus.cast %t : tensor<256xf8E4M3FN, #pair> -> tensor<256xf32, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<256xf32>
  tilus.store_global %u, %wu[%c0] : tensor<256xf32, #pair>, !tilus.global<256xf32>
}
}

// -----

// CHECK-LABEL: .entry tf32(
// CHECK:       cvt.rna.tf32.f32
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @tf32(%x: !tilus.ptr<f32>, %y: !tilus.ptr<tf32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf32> -> tensor<256xf32, #pair>
  %u = tilus.cast %t : tensor<256xf32, #pair> -> tensor<256xtf32, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<tf32> -> !tilus.global<256xtf32>
  tilus.store_global %u, %wu[%c0] : tensor<256xtf32, #pair>, !tilus.global<256xtf32>
}
}

// -----

// To odd in f32 first, so that the result is rounded once.
// CHECK-LABEL: .entry odd(
// CHECK:       cvt.rz.f32.f64
// CHECK:       cvt.rn.f16{{(x2)?}}.f32
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @odd(%x: !tilus.ptr<f64>, %y: !tilus.ptr<f16>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f64> -> !tilus.global<256xf64>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf64> -> tensor<256xf64, #pair>
  %u = tilus.cast %t : tensor<256xf64, #pair> -> tensor<256xf16, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<256xf16>
  tilus.store_global %u, %wu[%c0] : tensor<256xf16, #pair>, !tilus.global<256xf16>
}
}

// -----

// CHECK-LABEL: .entry long_to_float(
// CHECK:       cvt.rp.f32.u64
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @long_to_float(%x: !tilus.ptr<i64>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i64> -> !tilus.global<256xi64>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xi64> -> tensor<256xi64, #pair>
  %u = tilus.cast %t rounding(up) unsigned_source : tensor<256xi64, #pair> -> tensor<256xf32, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<256xf32>
  tilus.store_global %u, %wu[%c0] : tensor<256xf32, #pair>, !tilus.global<256xf32>
}
}

// -----

// The hardware gives the smallest integer for NaN; it is 0 here.
// CHECK-LABEL: .entry to_long(
// CHECK:       cvt.rzi.s64.f64
// CHECK:       setp.nan.f64
// CHECK:       selp.b64
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @to_long(%x: !tilus.ptr<f64>, %y: !tilus.ptr<i64>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f64> -> !tilus.global<256xf64>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf64> -> tensor<256xf64, #pair>
  %u = tilus.cast %t : tensor<256xf64, #pair> -> tensor<256xi64, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<i64> -> !tilus.global<256xi64>
  tilus.store_global %u, %wu[%c0] : tensor<256xi64, #pair>, !tilus.global<256xi64>
}
}

// -----

// CHECK-LABEL: .entry clamp(
// CHECK:       max.s32 {{.*}}, 0;
// CHECK:       min.s32 {{.*}}, 255;
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @clamp(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i8>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<256xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xi32> -> tensor<256xi32, #pair>
  %u = tilus.cast %t saturate unsigned_result : tensor<256xi32, #pair> -> tensor<256xi8, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<i8> -> !tilus.global<256xi8>
  tilus.store_global %u, %wu[%c0] : tensor<256xi8, #pair>, !tilus.global<256xi8>
}
}

// -----

// Arithmetic on 8-bit floats is done in f32.
// CHECK-LABEL: .entry add_f8(
// CHECK-NOT:   add.s16
// CHECK:       add.{{(rn.)?}}f32
// CHECK:       cvt.rn.satfinite.e5m2x2.f32
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @add_f8(%x: !tilus.ptr<f8E5M2>, %y: !tilus.ptr<f8E5M2>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f8E5M2> -> !tilus.global<256xf8E5M2>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf8E5M2> -> tensor<256xf8E5M2, #pair>
  %u = arith.addf %t, %t : tensor<256xf8E5M2, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f8E5M2> -> !tilus.global<256xf8E5M2>
  tilus.store_global %u, %wu[%c0] : tensor<256xf8E5M2, #pair>, !tilus.global<256xf8E5M2>
}
}

// -----

// Chips without the conversion round by integers.
// CHECK-LABEL: .entry f8_in_software(
// CHECK-NOT:   e4m3
// CHECK:       shr
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @f8_in_software(%x: !tilus.ptr<f32>, %y: !tilus.ptr<f8E4M3FN>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf32> -> tensor<256xf32, #pair>
  %u = tilus.cast %t : tensor<256xf32, #pair> -> tensor<256xf8E4M3FN, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f8E4M3FN> -> !tilus.global<256xf8E4M3FN>
  tilus.store_global %u, %wu[%c0] : tensor<256xf8E4M3FN, #pair>, !tilus.global<256xf8E4M3FN>
}
}

// -----

// By the exponent of f16, scaled by 2^8.
// CHECK-LABEL: .entry from_f8_in_software(
// CHECK-NOT:   e4m3
// CHECK:       cvt.f32.f16
// CHECK:       mul.{{(rn.)?}}f32 {{.*}}, 0f43800000;
// CHECK:       ret;
#pair = #tilus.reg<shape = [256], modes = [128, 2], spatial = [0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @from_f8_in_software(%x: !tilus.ptr<f8E4M3FN>, %y: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f8E4M3FN> -> !tilus.global<256xf8E4M3FN>
  %t = tilus.load_global %vt[%c0] : !tilus.global<256xf8E4M3FN> -> tensor<256xf8E4M3FN, #pair>
  %u = tilus.cast %t : tensor<256xf8E4M3FN, #pair> -> tensor<256xf32, #pair>
  %wu = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<256xf32>
  tilus.store_global %u, %wu[%c0] : tensor<256xf32, #pair>, !tilus.global<256xf32>
}
}
