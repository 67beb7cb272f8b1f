// RUN: tilus-opt %s --verify-diagnostics --tilus-infer-layouts --tilus-plan-shared-memory

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
