// RUN: tilus-opt %s --split-input-file --verify-diagnostics --tilus-verify-phase=phase=layouts

tilus.kernel @none(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-error @+1 {{expected a tile with a layout, but got 'tensor<64xi32>'}}
  %i = tilus.iota dim(0) : tensor<64xi32>
}

// -----

tilus.kernel @shared(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-error @+1 {{expected a shared tile with a layout, but got '!tilus.shared<64xi32>'}}
  %s = tilus.alloc_shared : !tilus.shared<64xi32>
}

// -----

tilus.kernel @reduce(%m: i32) warps(1) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<32x4xi32, #tilus.reg<shape = [32, 4], modes = [32, 4], spatial = [0], local = [1]>>
  // expected-error @+1 {{expected a result with the layout #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>, but got #tilus.reg<shape = [32], modes = [32], spatial = [-32], local = [0]>}}
  %r = tilus.reduce add, %i dim(1) : tensor<32x4xi32, #tilus.reg<shape = [32, 4], modes = [32, 4], spatial = [0], local = [1]>> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [-32], local = [0]>>
}
