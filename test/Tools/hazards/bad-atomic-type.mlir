// A maximum by atomic updates of floats.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %s = tilus.alloc_shared : !tilus.shared<64xf32>
  %f = arith.constant dense<1.0> : tensor<64xf32>
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.atomic' op expected i32 or i64 {{.*}}, but got 'max' on 'f32'
  tilus.atomic max, %s, %f : !tilus.shared<64xf32>, tensor<64xf32>
}
