// RUN: tilus-opt %s --verify-diagnostics --tilus-infer-layouts=remarks=true

tilus.kernel @remarks(%m: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  // expected-remark @+1 {{prefers the layout #tilus.reg<shape = [4096], modes = [32, 32, 4], spatial = [2, 1], local = [0]>}}
  %t = tilus.load_global %g[%c0] {tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64} : !tilus.global<?xf32> -> tensor<4096xf32>
  // expected-remark @+1 {{lies in shared memory as #tilus.smem<shape = [4096], modes = [4096], strides = [1]>}}
  %s = tilus.alloc_shared : !tilus.shared<4096xf32>
  // expected-remark @+1 {{prefers the layout}}
  tilus.store_shared %t, %s : tensor<4096xf32>, !tilus.shared<4096xf32>
  // expected-remark @+1 {{converts the layout by shared memory}}
  %p = tilus.convert_layout %t : tensor<4096xf32> -> tensor<4096xf32, #tilus.reg<shape = [4096], modes = [32, 32, 4], spatial = [2, 1], local = [0]>>
  tilus.print "p", %p : tensor<4096xf32, #tilus.reg<shape = [4096], modes = [32, 32, 4], spatial = [2, 1], local = [0]>>
}
