// RUN: tilus-translate %s --tilus-to-ptx -split-input-file | FileCheck %s
// Printing, assertions, random words and tables of constants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One thread prints; narrow arguments become ints and doubles.
// CHECK-LABEL: .entry say(
// CHECK:       setp.ne.b32
// CHECK:       call.uni {{.*}}vprintf
// CHECK:       ret;
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @say(%n: i8, %h: f16) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  tilus.printf "%d %g\n", %n, %h : i8, f16
}
}

// -----

// The elements in order, with a barrier after each.
// CHECK-LABEL: .entry show(
// CHECK:       vprintf
// CHECK:       bar.sync
// CHECK:       vprintf
// CHECK:       bar.sync
// CHECK:       ret;
#own = #tilus.reg<shape = [2, 64], modes = [2, 64], spatial = [0, 1], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @show(%x: !tilus.ptr<f32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<2x64xf32>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<2x64xf32> -> tensor<2x64xf32, #own>
  tilus.print "t", %t : tensor<2x64xf32, #own>
}
}

// -----

// CHECK-LABEL: .entry check(
// CHECK-DAG:   __assertfail
// CHECK-DAG:   bar.sync
#own = #tilus.reg<shape = [2, 64], modes = [2, 64], spatial = [0, 1], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @check(%x: !tilus.ptr<i1>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i1> -> !tilus.global<2x64xi1>
  %t = tilus.load_global %vt[%c0, %c0] : !tilus.global<2x64xi1> -> tensor<2x64xi1, #own>
  tilus.assert %t, "all" : tensor<2x64xi1, #own>
}
}

// -----

// The two multipliers of Philox.
// CHECK-LABEL: .entry draw(
// CHECK:       mul.hi.u32
// CHECK:       ret;
#words = #tilus.reg<shape = [4, 128], modes = [4, 128], spatial = [1], local = [0]>
#offsets = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @draw(%x: !tilus.ptr<i32>, %s: i64) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %i = tilus.iota dim(0) : tensor<128xi32, #offsets>
  %u = tilus.random %s, %i : tensor<128xi32, #offsets> -> tensor<4x128xi32, #words>
  %wu = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<4x128xi32>
  tilus.store_global %u, %wu[%c0, %c0] : tensor<4x128xi32, #words>, !tilus.global<4x128xi32>
}
}

// -----

// Each thread loads its part of a table in front of the kernel.
// CHECK: .global .align 16 .b8 {{.*}}tilus_constant{{.*}}[32] = {1, 0, 0, 0, 2, 0, 0, 0
// CHECK-LABEL: .entry constant(
// CHECK:       ld.global.nc.b32
// CHECK:       ret;
#quads = #tilus.reg<shape = [2, 4], modes = [2, 4], spatial = [-64, 0], local = [1]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_80">} {
tilus.kernel @constant(%x: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %t = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi32, #quads>
  %wt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<2x4xi32>
  tilus.store_global %t, %wt[%c0, %c0] : tensor<2x4xi32, #quads>, !tilus.global<2x4xi32>
}
}
