// RUN: tilus-opt %s --split-input-file --verify-diagnostics --tilus-infer-layouts

tilus.kernel @threads(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-error @+1 {{expected a layout of the 128 threads that hold the tile, but got one of 32}}
  %i = tilus.iota dim(0) : tensor<64xi32, #tilus.reg<shape = [64], modes = [32, 2], spatial = [0], local = [1]>>
  tilus.print "i", %i : tensor<64xi32, #tilus.reg<shape = [64], modes = [32, 2], spatial = [0], local = [1]>>
}

// -----

tilus.kernel @view(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-note @+1 {{the allocation of type}}
  %s = tilus.alloc_shared : !tilus.shared<4x6xi32, #tilus.smem<shape = [4, 6], modes = [4, 6], strides = [8, 1]>>
  // expected-error @+1 {{expected a view that the layout of its allocation expresses, but got '!tilus.shared<3x8xi32>'}}
  %v = tilus.reshape_shared %s : !tilus.shared<4x6xi32, #tilus.smem<shape = [4, 6], modes = [4, 6], strides = [8, 1]>> -> !tilus.shared<3x8xi32>
  %t = tilus.load_shared %v : !tilus.shared<3x8xi32> -> tensor<3x8xi32>
}
