// RUN: tilus-opt %s -o /dev/null
// A host program in MLIR with kernels of Tilus: `run` launches one, `main.c` calls `run`.
//
// The gpu.module declares the kernel to the GPU dialect and holds it. All sizes of the launch are 0: they are
// the kernel's own. x[i] += scale * (10 * the capability that the code was compiled for, + 1 if for that exact
// chip) for i < n, so that the results say which code ran.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @mark(i32, f32, !llvm.ptr) attributes {gpu.kernel}
    builtin.module {
      tilus.kernel @mark(%n: i32, %scale: f32, %x: !tilus.ptr<f32>) warps(4) grid {
        %c512 = arith.constant 512 : i32
        %blocks = arith.ceildivsi %n, %c512 : i32
        tilus.grid [%blocks]
      } {
        %c512 = arith.constant 512 : i32
        %c800 = arith.constant 800 : i32
        %c901 = arith.constant 901 : i32
        %c1031 = arith.constant 1031 : i32
        %is90a = tilus.target_is "sm_90a"
        %is103a = tilus.target_is "sm_103a"
        %newer = arith.select %is90a, %c901, %c800 : i32
        %marker = arith.select %is103a, %c1031, %newer : i32
        %float = arith.sitofp %marker : i32 to f32
        %scaled = arith.mulf %float, %scale : f32
        %block = tilus.block_id x
        %offset = arith.muli %block, %c512 : i32
        %view = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
        %tile = tilus.load_global %view[%offset] : !tilus.global<?xf32> -> tensor<512xf32>
        %mark = tilus.broadcast %scaled : f32 -> tensor<512xf32>
        %sum = arith.addf %tile, %mark : tensor<512xf32>
        tilus.store_global %sum, %view[%offset] : tensor<512xf32>, !tilus.global<?xf32>
      }
    }
  }

  llvm.func @run(%stream: !llvm.ptr, %n: i32, %scale: f32, %x: !llvm.ptr) {
    %c0 = llvm.mlir.constant(0 : i64) : i64
    gpu.launch_func <%stream : !llvm.ptr> @kernels::@mark blocks in (%c0, %c0, %c0) threads in (%c0, %c0, %c0) : i64
      args(%n : i32, %scale : f32, %x : !llvm.ptr)
    llvm.return
  }
}
