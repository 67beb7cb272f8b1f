// Kernels within a gpu.module become functions of it, in the place of their declarations.
// RUN: split-file --leading-lines %s %t
// RUN: tilus-opt --tilus-lower-gpu-modules %t/good.mlir | FileCheck %s --check-prefix=GOOD
// RUN: tilus-opt --tilus-to-nvvm=target=sm_90a %t/good.mlir | FileCheck %s --check-prefix=NAMED
// RUN: not tilus-opt --tilus-lower-gpu-modules %t/missing.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not tilus-opt --tilus-lower-gpu-modules %t/apart.mlir 2>&1 | FileCheck %s --check-prefix=APART
// RUN: not tilus-opt --tilus-lower-gpu-modules %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tilus-opt --tilus-lower-gpu-modules=target=sm_81 %t/none.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tilus-opt --tilus-lower-gpu-modules %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE

// Two kernels; what was in the gpu.module stays, and so does a gpu.module without kernels.
//--- good.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_90a">, #nvvm.target<chip = "sm_80">] {
    llvm.func @fill(!llvm.ptr) attributes {gpu.kernel}
    llvm.func @kept()
    builtin.module {
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
    tilus.kernel @turn(%x: !tilus.ptr<f32>) warps(2) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
      %c0 = arith.constant 0 : i32
      %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
      %s = tilus.alloc_shared : !tilus.shared<256xf32>
      %t = tilus.load_global %g[%c0] : !tilus.global<256xf32> -> tensor<256xf32>
      tilus.store_shared %t, %s : tensor<256xf32>, !tilus.shared<256xf32>
      tilus.sync
      %u = tilus.load_shared %s : !tilus.shared<256xf32> -> tensor<256xf32>
      tilus.store_global %u, %g[%c0] : tensor<256xf32>, !tilus.global<256xf32>
    }
  }
  gpu.module @other {
    llvm.func @alone()
  }
  func.func @host(%x: !llvm.ptr) {
    %c1 = arith.constant 1 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%x : !llvm.ptr)
    return
  }
}
// GOOD-LABEL: gpu.module @kernels [#nvvm.target<chip = "sm_90a">, #nvvm.target<chip = "sm_80">]
// GOOD-NEXT: llvm.func @kept()
// GOOD: llvm.func @fill(%{{.*}}: !llvm.ptr<1>{{.*}}) attributes {gpu.kernel, nvvm.kernel
// GOOD: llvm.store
// GOOD: llvm.func @turn({{.*}}gpu.kernel
// GOOD-NOT: tilus.kernel
// GOOD: gpu.module @other
// GOOD-NEXT: llvm.func @alone()
// GOOD: gpu.launch_func @kernels::@fill
// NAMED-LABEL: gpu.module @kernels
// NAMED: llvm.func @fill({{.*}}gpu.kernel

//--- missing.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  // MISSING: [[@LINE+1]]:3: error: 'llvm.func' op expected a 'tilus.kernel' of this name in the gpu.module, which declares it, but got none
  llvm.func @file(!llvm.ptr) attributes {gpu.kernel}
  tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

//--- apart.mlir
// APART: [[@LINE+1]]:1: error: 'gpu.module' op expected a target whose code all the others take, but got sm_90a, sm_103a; name one for the pass, or compile with tilus-emit-binary, for each apart
gpu.module @kernels [#nvvm.target<chip = "sm_90a">, #nvvm.target<chip = "sm_103a">] {
  tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

//--- none.mlir
// NONE: [[@LINE+2]]:1: error: 'gpu.module' op expected a target, but the gpu.module names none; give it #nvvm.target attributes, or 'tilus.target', or name a target for the compilation
// CHIP: [[@LINE+1]]:1: error: 'gpu.module' op expected a known chip, but got 'sm_81'
gpu.module @kernels {
  tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

//--- twice.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_80">] {
  llvm.func @fill() {
    llvm.return
  }
  builtin.module {
    // TWICE: error: 'llvm.func' op expected a kernel name that the gpu.module has not, but got 'fill'
    tilus.kernel @fill() warps(2) grid {
      %c1 = arith.constant 1 : i32
      tilus.grid [%c1]
    } {
    }
  }
}
