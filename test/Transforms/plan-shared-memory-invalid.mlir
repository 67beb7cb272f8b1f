// RUN: tilus-opt %s --verify-diagnostics --split-input-file --tilus-infer-layouts --tilus-plan-shared-memory

module attributes {tilus.target = #tilus.target<chip = "sm_75">} {
// expected-error @+1 {{expected at most 65536 bytes of shared memory on sm_75, but got 81920}}
tilus.kernel @too_much(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-note @+1 {{this tile takes 65536 bytes at 0}}
  %a = tilus.alloc_shared : !tilus.shared<16384xi32>
  // expected-note @+1 {{this tile takes 16384 bytes at 65536}}
  %b = tilus.alloc_shared : !tilus.shared<4096xi32>
  %t = tilus.load_shared %a : !tilus.shared<16384xi32> -> tensor<16384xi32>
  %u = tilus.load_shared %b : !tilus.shared<4096xi32> -> tensor<4096xi32>
  %v = tilus.load_shared %a : !tilus.shared<16384xi32> -> tensor<16384xi32>
}
}

// -----

// A place that is asked for is kept or refused.
tilus.kernel @overlap(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-note @+1 {{this tile has bytes 0 to 4096}}
  %a = tilus.alloc_shared offset(0) : !tilus.shared<1024xi32>
  // expected-error @+1 {{expected a place apart from those of tiles that live at the same time, but got bytes 2048 to 6144}}
  %b = tilus.alloc_shared offset(2048) : !tilus.shared<1024xi32>
  %t = tilus.load_shared %a : !tilus.shared<1024xi32> -> tensor<1024xi32>
  %u = tilus.load_shared %b : !tilus.shared<1024xi32> -> tensor<1024xi32>
  %v = tilus.load_shared %a : !tilus.shared<1024xi32> -> tensor<1024xi32>
}

// -----

tilus.kernel @unaligned(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-error @+1 {{expected an offset that 128 divides, but got 8}}
  %a = tilus.alloc_shared offset(8) : !tilus.shared<1024xi32>
  %t = tilus.load_shared %a : !tilus.shared<1024xi32> -> tensor<1024xi32>
}
