// The pipeline to cubins: an ELF for each chip, by either assembler.
// REQUIRES: ptxas
// RUN: tilus-opt --tilus-to-cubin="targets=sm_80,sm_90a,sm_120a assembler=ptxas" %s | FileCheck %s
// RUN: tilus-opt --tilus-to-cubin %s | FileCheck %s --check-prefix=OWN

// CHECK: gpu.binary @fill [
// CHECK-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_80"{{[^>]*}}>, bin = "\7FELF
// CHECK-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_90a"{{[^>]*}}>, bin = "\7FELF
// CHECK-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_120a"{{[^>]*}}>, bin = "\7FELF
// OWN: gpu.binary @fill [
// OWN-SAME: chip = "sm_86"
module attributes {tilus.target = #tilus.target<chip = "sm_86">} {
  tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
    %t = arith.constant dense<1.5> : tensor<256xf32>
    tilus.store_global %t, %g[%c0] : tensor<256xf32>, !tilus.global<256xf32>
  }
}
