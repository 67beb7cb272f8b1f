// x[i] = s * x[i] for i < n.
tilus.kernel @scale(%n: i32, %s: f32, %x: !tilus.ptr<f32>) warps(4) grid {
  %c1024 = arith.constant 1024 : i32
  %b = arith.ceildivsi %n, %c1024 : i32
  tilus.grid [%b]
} {
  %c1024 = arith.constant 1024 : i32
  %i = tilus.block_id x
  %o = arith.muli %i, %c1024 : i32
  %g = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %t = tilus.load_global %g[%o] : !tilus.global<?xf32> -> tensor<1024xf32>
  %f = tilus.broadcast %s : f32 -> tensor<1024xf32>
  %r = arith.mulf %t, %f : tensor<1024xf32>
  tilus.store_global %r, %g[%o] : tensor<1024xf32>, !tilus.global<?xf32>
}
