// A host function on memrefs: stock passes lower it around a gpu.binary of many targets, and the call takes bare
// pointers.
// REQUIRES: tilus-plugin
// RUN: mlir-opt --load-dialect-plugin=%tilus_plugin --load-pass-plugin=%tilus_plugin %s \
// RUN:   --pass-pipeline='builtin.module(tilus-to-ptx{targets=sm_80,sm_90a handler=dispatch},func.func(gpu-async-region),gpu-to-llvm{use-bare-pointers-for-kernels=true use-bare-pointers-for-host=true},reconcile-unrealized-casts)' -o %t.mlir
// RUN: FileCheck %s --input-file %t.mlir
// RUN: tilus-translate --mlir-to-llvmir %t.mlir | FileCheck %s --check-prefix=LLVM

// CHECK: gpu.binary @kernels <#tilus.dispatch> [
// CHECK: llvm.func @host(%[[X:.*]]: !llvm.ptr, %[[N:.*]]: i32)
// CHECK: %[[STREAM:.*]] = llvm.call @mgpuStreamCreate()
// CHECK: gpu.launch_func <%[[STREAM]] : !llvm.ptr> @kernels::@double blocks in ({{.*}}) threads in ({{.*}}) : i64 args(%[[N]] : i32, %{{.*}} : !llvm.ptr)

// LLVM: [2 x i32] [i32 4, i32 8]
// LLVM: define void @host(ptr %{{.*}}, i32 %{{.*}})
// LLVM: call i32 @tilusHostLaunch(ptr @tilus_host_binary_kernels, ptr %
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @double(i32, !llvm.ptr) attributes {gpu.kernel}
    builtin.module {
      tilus.kernel @double(%n: i32, %x: !tilus.ptr<f32>) warps(4) grid {
        %c512 = arith.constant 512 : i32
        %b = arith.ceildivsi %n, %c512 : i32
        tilus.grid [%b]
      } {
        %c512 = arith.constant 512 : i32
        %i = tilus.block_id x
        %o = arith.muli %i, %c512 : i32
        %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
        %t = tilus.load_global %g[%o] : !tilus.global<?xf32> -> tensor<512xf32>
        %u = arith.addf %t, %t : tensor<512xf32>
        tilus.store_global %u, %g[%o] : tensor<512xf32>, !tilus.global<?xf32>
      }
    }
  }
  func.func @host(%x: memref<1000xf32>, %n: i32) {
    %c0 = arith.constant 0 : index
    gpu.launch_func @kernels::@double blocks in (%c0, %c0, %c0) threads in (%c0, %c0, %c0)
      args(%n : i32, %x : memref<1000xf32>)
    return
  }
}
