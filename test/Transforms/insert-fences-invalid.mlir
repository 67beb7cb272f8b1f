// RUN: tilus-opt %s --split-input-file --verify-diagnostics --tilus-insert-fences

tilus.kernel @no_layout(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  // expected-error @below {{'tilus.alloc_shared' op expected a shared tile with a layout, but got '!tilus.shared<32xi32>'; run tilus-infer-layouts before}}
  %s = tilus.alloc_shared : !tilus.shared<32xi32>
  %t = tilus.load_shared %s : !tilus.shared<32xi32> -> tensor<32xi32>
}
