// The named pipelines.
// RUN: tilus-opt --tilus-to-nvvm="target=sm_80" %s | FileCheck %s --check-prefix=NVVM
// RUN: tilus-opt --pass-pipeline='builtin.module(tilus-to-nvvm{target=sm_90a})' %s | FileCheck %s --check-prefix=NVVM
// RUN: tilus-opt --tilus-to-ptx="targets=sm_80,sm_90a" %s | FileCheck %s --check-prefix=PTX
// RUN: not tilus-opt --tilus-to-ptx="targets=sm_81" %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tilus-opt --tilus-to-nvvm="target=sm_81" %s 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tilus-opt --tilus-to-ptx %s 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilus-opt --tilus-to-cubin="targets=sm_80 assembler=as" %s 2>&1 | FileCheck %s --check-prefix=ASSEMBLER
// RUN: not tilus-opt --tilus-to-ptx="targets=sm_80 opt-level=4" %s 2>&1 | FileCheck %s --check-prefix=LEVEL

// NVVM: gpu.module @fill
// NVVM: llvm.func @fill(
// NVVM-NOT: builtin.unrealized_conversion_cast

// PTX: gpu.binary @fill [
// PTX-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_80"{{[^>]*}}>, assembly = "{{.*}}.target sm_80
// PTX-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_90a"

// CHIP: error: expected a known chip, but got 'sm_81'; did you mean 'sm_80'?
// NONE: [[@LINE+4]]:1: error: 'tilus.kernel' op expected a target, but its module names none; give the module the attribute 'tilus.target', as in #tilus.target<chip = "sm_90a">, or name a chip by '--target'
// ASSEMBLER: error: expected 'auto', 'nvjitlink' or 'ptxas' as assembler, but got 'as'
// LEVEL: error: expected an optimization level from 0 to 3, but got 4

tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = arith.constant dense<1.5> : tensor<256xf32>
  tilus.store_global %t, %g[%c0] : tensor<256xf32>, !tilus.global<256xf32>
}
