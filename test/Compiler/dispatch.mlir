// Kernels become a gpu.binary with the handler #tilus.dispatch, and that a constant, a release and launches.
// RUN: split-file %s %t
// RUN: tilus-opt --tilus-to-ptx="targets=sm_80,sm_90a handler=dispatch" %t/good.mlir -o %t/binary.mlir
// RUN: FileCheck %s --check-prefix=BINARY --input-file %t/binary.mlir
// RUN: tilus-translate --mlir-to-llvmir %t/binary.mlir | FileCheck %s --check-prefix=LLVM
// RUN: tilus-opt --tilus-to-ptx=handler=dispatch %t/targets.mlir | FileCheck %s --check-prefix=TARGETS
// RUN: not tilus-opt --tilus-to-ptx="targets=sm_80 handler=embed" %t/good.mlir 2>&1 | FileCheck %s --check-prefix=HANDLER
// RUN: not tilus-opt --tilus-to-ptx="targets=sm_80" %t/good.mlir 2>&1 | FileCheck %s --check-prefix=PLAIN
// RUN: not tilus-opt --tilus-to-ptx="targets=sm_80 handler=dispatch" %t/mixed.mlir 2>&1 | FileCheck %s --check-prefix=MIXED
// RUN: not tilus-translate --mlir-to-llvmir %t/foreign.mlir 2>&1 | FileCheck %s --check-prefix=FOREIGN
// RUN: tilus-opt --tilus-to-ptx="targets=sm_80 handler=dispatch" %t/argument.mlir -o %t/vector.mlir
// RUN: not tilus-translate --mlir-to-llvmir %t/vector.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT

// The order of the objects is that of the targets; all kernels of the gpu.module are in each.
// BINARY: gpu.binary @kernels <#tilus.dispatch> [
// BINARY-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_80"{{[^>]*}}>, offload = "
// BINARY-SAME: #gpu.object<#nvvm.target<{{[^>]*}}chip = "sm_90a"{{[^>]*}}>, offload = "
// BINARY-NOT: tilus.kernel
// BINARY: gpu.launch_func <%{{.*}} : !llvm.ptr> @kernels::@fill

// LLVM-DAG: @tilus_host_artifacts_kernels = private constant [{{[0-9]+}} x i8] c"{{.+}}", align 8
// LLVM-DAG: @tilus_host_name_kernels = private constant [8 x i8] c"kernels\00", align 8
// LLVM-DAG: @tilus_host_binary_kernels = internal global { i64, ptr, ptr, i64, ptr } { i64 1, ptr @tilus_host_name_kernels, ptr @tilus_host_artifacts_kernels, i64 {{[0-9]+}}, ptr null }
// LLVM-DAG: @llvm.global_dtors = {{.*}}@tilus_host_release_kernels
// LLVM-DAG: [4 x i32] [i32 8, i32 4, i32 1, i32 8]
// LLVM-LABEL: define void @run(
// LLVM: store i8 %{{.*}}, ptr
// LLVM: call i32 @tilusHostLaunch(ptr @tilus_host_binary_kernels, ptr %
// LLVM: call i32 @tilusHostLaunch(ptr @tilus_host_binary_kernels, ptr %
// LLVM: define internal void @tilus_host_release_kernels()
// LLVM: call void @tilusHostRelease(ptr @tilus_host_binary_kernels)

// TARGETS: gpu.binary @kernels <#tilus.dispatch> [#gpu.object<{{.*}}chip = "sm_90a"{{.*}}#gpu.object<{{.*}}chip = "sm_80"
// HANDLER: error: expected 'dispatch' as handler, but got 'embed'
// PLAIN: error: 'gpu.module' op expected one kernel in a gpu.module of which the objects are code alone, but got 2; take handler=dispatch, or tilus-to-nvvm and gpu-module-to-binary
// MIXED: error: 'llvm.func' op expected kernels of Tilus and their declarations alone in the gpu.module; lower it with tilus-to-nvvm and gpu-module-to-binary
// FOREIGN: error: 'gpu.binary' op expected objects that are artifacts of Tilus kernels, as tilus-emit-binary{handler=dispatch} makes them, but got another for #nvvm.target<chip = "sm_80">
// ARGUMENT: error: 'gpu.launch_func' op expected integers, floats and pointers as arguments, but got 'vector<4xf32>'

//--- good.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @fill(!llvm.ptr, f32, i1, i64) attributes {gpu.kernel}
    llvm.func @nothing() attributes {gpu.kernel}
    builtin.module {
      tilus.kernel @fill(%x: !tilus.ptr<f32>, %a: f32, %b: i1, %n: i64) warps(2) grid {
        %c1 = arith.constant 1 : i32
        tilus.grid [%c1]
      } {
        %c0 = arith.constant 0 : i32
        %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
        %t = tilus.broadcast %a : f32 -> tensor<256xf32>
        tilus.store_global %t, %g[%c0] : tensor<256xf32>, !tilus.global<256xf32>
      }
      tilus.kernel @nothing() warps(1) grid {
        %c1 = arith.constant 1 : i32
        tilus.grid [%c1]
      } {
      }
    }
  }
  llvm.func @run(%stream: !llvm.ptr, %x: !llvm.ptr, %a: f32, %b: i1, %n: i64) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    %c64 = llvm.mlir.constant(64 : i64) : i64
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64
      args(%x : !llvm.ptr, %a : f32, %b : i1, %n : i64)
    gpu.launch_func @kernels::@nothing blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) : i64
    llvm.return
  }
}

//--- targets.mlir
gpu.module @kernels [#nvvm.target<chip = "sm_90a">, #nvvm.target<chip = "sm_80">] {
  tilus.kernel @nothing() warps(1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

//--- mixed.mlir
gpu.module @kernels {
  llvm.func @other() {
    llvm.return
  }
  tilus.kernel @nothing() warps(1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
  }
}

//--- foreign.mlir
gpu.binary @kernels <#tilus.dispatch> [#gpu.object<#nvvm.target<chip = "sm_80">, bin = "BLOB">]

//--- argument.mlir
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @fill(vector<4xf32>) attributes {gpu.kernel}
    builtin.module {
      tilus.kernel @fill() warps(1) grid {
        %c1 = arith.constant 1 : i32
        tilus.grid [%c1]
      } {
      }
    }
  }
  llvm.func @run(%v: vector<4xf32>) {
    %c1 = llvm.mlir.constant(1 : i64) : i64
    gpu.launch_func @kernels::@fill blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) : i64 args(%v : vector<4xf32>)
    llvm.return
  }
}
