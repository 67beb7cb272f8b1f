// RUN: tilus-translate %s --tilus-to-ptx -split-input-file | FileCheck %s
// Atomic updates: instruction, scope, order; each element once; the old values reach all replicas.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: .entry add(
// CHECK:       red.relaxed.gpu.global.add.u32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @add(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #own>
  %vm = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  tilus.atomic add, %vm[%c0], %t : !tilus.global<128xi32>, tensor<128xi32, #own>
}
}

// -----

// Subtraction adds the negated value.
// CHECK-LABEL: .entry add_half(
// CHECK:       xor.b16 {{.*}}, -32768;
// CHECK:       red.relaxed.cta.global.add.noftz.f16
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @add_half(%x: !tilus.ptr<f16>, %y: !tilus.ptr<f16>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<128xf16>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xf16> -> tensor<128xf16, #own>
  %vm = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<128xf16>
  tilus.atomic sub, %vm[%c0], %t scope(cta) : !tilus.global<128xf16>, tensor<128xf16, #own>
}
}

// -----

// CHECK-LABEL: .entry ordered(
// CHECK:       atom.acq_rel.sys.global.max.s64
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @ordered(%x: !tilus.ptr<i64>, %y: !tilus.ptr<i64>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i64> -> !tilus.global<128xi64>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi64> -> tensor<128xi64, #own>
  %vm = tilus.global_view %y : !tilus.ptr<i64> -> !tilus.global<128xi64>
  tilus.atomic max, %vm[%c0], %t order(acq_rel) scope(sys) : !tilus.global<128xi64>, tensor<128xi64, #own>
}
}

// -----

// CHECK-LABEL: .entry compare(
// CHECK:       atom.relaxed.gpu.global.cas.b32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @compare(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #own>
  %vm = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %u = tilus.atomic cas, %vm[%c0], %t compare(%t : tensor<128xi32, #own>) : !tilus.global<128xi32>, tensor<128xi32, #own> -> tensor<128xi32, #own>
  %wu = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  tilus.store_global %u, %wu[%c0] : tensor<128xi32, #own>, !tilus.global<128xi32>
}
}

// -----

// Replicas in another warp: one thread updates, and hands the old value over through scratch.
// CHECK-LABEL: .entry replicas(
// CHECK:       atom.{{.*}}add
// CHECK:       st.shared
// CHECK:       bar.sync
// CHECK:       ld.shared
// CHECK:       ret;
#twice = #tilus.reg<shape = [128], modes = [2, 64], spatial = [-2, 1], local = [0]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @replicas(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #twice>
  %vm = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %u = tilus.atomic add, %vm[%c0], %t : !tilus.global<128xi32>, tensor<128xi32, #twice> -> tensor<128xi32, #twice>
  %wu = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  tilus.store_global %u, %wu[%c0] : tensor<128xi32, #twice>, !tilus.global<128xi32>
}
}

// -----

// Replicas in the warp: by shuffles.
// CHECK-LABEL: .entry replica_lanes(
// CHECK:       atom.{{.*}}add
// CHECK:       shfl.sync.idx
// CHECK-NOT:   bar.sync
// CHECK:       ret;
#lanes = #tilus.reg<shape = [128], modes = [2, 64], spatial = [1, -2], local = [0]>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @replica_lanes(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #lanes>
  %vm = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %u = tilus.atomic add, %vm[%c0], %t : !tilus.global<128xi32>, tensor<128xi32, #lanes> -> tensor<128xi32, #lanes>
  %wu = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  tilus.store_global %u, %wu[%c0] : tensor<128xi32, #lanes>, !tilus.global<128xi32>
}
}

// -----

// Indices outside the destination are skipped.
// CHECK-LABEL: .entry scatter(
// CHECK:       setp.{{(gt|lt|le|ge)}}.u{{(32|64)}}
// CHECK:       red.relaxed.cta.shared.add.u32
// CHECK:       ret;
#own = #tilus.reg<shape = [128], modes = [128], spatial = [0], local = []>
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
tilus.kernel @scatter(%x: !tilus.ptr<i32>, %y: !tilus.ptr<i32>) warps(4) grid {
  %g = arith.constant 1 : i32
  tilus.grid [%g]
} {
  %c0 = arith.constant 0 : i32
  %vt = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %t = tilus.load_global %vt[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #own>
  %vi = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<128xi32>
  %i = tilus.load_global %vi[%c0] : !tilus.global<128xi32> -> tensor<128xi32, #own>
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
  tilus.atomic_scatter add, %s dim(0), %i, %t : !tilus.shared<64xi32>, tensor<128xi32, #own>, tensor<128xi32, #own>
}
}
