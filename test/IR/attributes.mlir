// RUN: tilus-opt %s | FileCheck %s
// Layouts, atoms and targets; equal layouts print alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func private @layouts()
// CHECK-SAME:    merged = #tilus.reg<shape = [16], modes = [16], spatial = [0], local = []>
// CHECK-SAME:    replicated = #tilus.reg<shape = [8], modes = [8], spatial = [-4, 0], local = []>
// CHECK-SAME:    scalar = #tilus.reg<shape = [], modes = [], spatial = [-32], local = []>
// CHECK-SAME:    split = #tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>
// CHECK-SAME:    units = #tilus.reg<shape = [1, 8], modes = [8], spatial = [0], local = []>
func.func private @layouts() attributes {
  split = #tilus.reg<shape = [16, 8], modes = [2, 8, 4, 2], spatial = [1, 2], local = [0, 3]>,
  merged = #tilus.reg<shape = [16], modes = [2, 1, 8], spatial = [0, 1, 2], local = []>,
  units = #tilus.reg<shape = [1, 8], modes = [1, 8], spatial = [1], local = [0]>,
  replicated = #tilus.reg<shape = [8], modes = [8], spatial = [-2, -2, 0], local = []>,
  scalar = #tilus.reg<shape = [], modes = [], spatial = [-32], local = []>
}

// CHECK-LABEL: func.func private @shared_layouts()
// CHECK-SAME:    broadcast = #tilus.smem<shape = [4, 8], modes = [4, 8], strides = [0, 1]>
// CHECK-SAME:    merged = #tilus.smem<shape = [16], modes = [16], strides = [1]>
// CHECK-SAME:    scalar = #tilus.smem<shape = [], modes = [], strides = []>
// CHECK-SAME:    split = #tilus.smem<shape = [8, 8], modes = [8, 2, 4], strides = [4, 32, 1]>
// CHECK-SAME:    swizzled = #tilus.smem<shape = [8, 64], modes = [8, 64], strides = [64, 1], swizzle = [3, 3, 3]>
func.func private @shared_layouts() attributes {
  swizzled = #tilus.smem<shape = [8, 64], modes = [8, 64], strides = [64, 1], swizzle = [3, 3, 3]>,
  split = #tilus.smem<shape = [8, 8], modes = [8, 2, 4], strides = [4, 32, 1]>,
  merged = #tilus.smem<shape = [16], modes = [4, 4], strides = [4, 1]>,
  broadcast = #tilus.smem<shape = [4, 8], modes = [4, 8], strides = [0, 1]>,
  scalar = #tilus.smem<shape = [], modes = [], strides = []>
}

// CHECK-LABEL: func.func private @atoms()
// CHECK-SAME:    row = #tilus.mma_atom<m16n8k16_f16_f16_f32>
// CHECK-SAME:    scalar = #tilus.mma_atom<simt>
func.func private @atoms() attributes {
  row = #tilus.mma_atom<m16n8k16_f16_f16_f32>, scalar = #tilus.mma_atom<"simt">
}

// The triple may be left out.
// CHECK:       module attributes {tilus.target = #tilus.target<chip = "sm_90a">}
module attributes {tilus.target = #tilus.target<triple = "nvptx64-nvidia-cuda", chip = "sm_90a">} {
}

// CHECK:       gpu.module @device attributes {tilus.target = #tilus.target<chip = "sm_80", features = "+ptx88">}
gpu.module @device attributes {tilus.target = #tilus.target<chip = "sm_80", features = "+ptx88">} {
}
