// RUN: tilus-opt %s --verify-diagnostics --tilus-infer-layouts --tilus-plan-shared-memory --tilus-insert-fences=remarks=true

tilus.kernel @remark(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  // expected-note @+1 {{for the shared memory that this op accesses}}
  tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  // expected-remark @+1 {{needs a barrier before it, which is inserted}}
  %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
}
