// A pinned layout for 64 threads in a block of 128.
// RUN: not tilus-opt %s -tilus-infer-layouts 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %i = tilus.iota dim(0) : tensor<64xi32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}expected {{.*}}128{{.*}}, but got {{.*}}64{{.*}}
  %p = tilus.convert_layout %i : tensor<64xi32> -> tensor<64xi32, #tilus.reg<shape = [64], modes = [64], spatial = [0], local = []>>
}
