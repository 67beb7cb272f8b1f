// Stock mlir-opt with the plugin runs single passes with their options, and knows the dialect.
// REQUIRES: tilus-plugin
// RUN: mlir-opt --load-dialect-plugin=%tilus_plugin --load-pass-plugin=%tilus_plugin %s \
// RUN:   --pass-pipeline='builtin.module(tilus-attach-target{chip=sm_90a},tilus.kernel(tilus-infer-layouts))' | FileCheck %s
// RUN: not mlir-opt --load-dialect-plugin=%tilus_plugin --load-pass-plugin=%tilus_plugin %s \
// RUN:   --pass-pipeline='builtin.module(tilus-to-ptx{targets=sm_91})' 2>&1 | FileCheck %s --check-prefix=CHIP

// CHECK: tilus.target = #tilus.target<chip = "sm_90a">
// CHECK: tensor<256xf32, #tilus.reg<
// CHIP: error: expected a known chip, but got 'sm_91'
tilus.kernel @fill(%x: !tilus.ptr<f32>) warps(2) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<256xf32>
  %t = arith.constant dense<1.5> : tensor<256xf32>
  tilus.store_global %t, %g[%c0] : tensor<256xf32>, !tilus.global<256xf32>
}
