// RUN: not tilus-run %s --device none --target sm_90a --emit ptx=%t 2>&1 | FileCheck %s --implicit-check-not=error:
// A tile that no thread can hold is refused at its op, at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

tilus.kernel @huge(%y: !tilus.ptr<i32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %w = tilus.global_view %y : !tilus.ptr<i32> -> !tilus.global<16xi32>
  // CHECK: huge-invalid.mlir:[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected a tile of at most 512 registers a thread, but got 262144 for 'tensor<33554432xi32>'; take smaller tiles in a loop, or more warps
  %a = tilus.iota dim(0) : tensor<33554432xi32>
  tilus.store_global %a, %w[%c0] : tensor<33554432xi32>, !tilus.global<16xi32>
}
