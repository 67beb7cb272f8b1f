// RUN: tilus-opt %s --split-input-file --tilus-infer-layouts --tilus-select-atoms --tilus-verify-phase=phase=atoms | FileCheck %s

// Operands come from shared memory by ldmatrix, b transposed; a result goes there by stmatrix.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
// CHECK-LABEL: tilus.kernel @matrix
// CHECK: tilus.load_shared %{{.*}} access(matrix) : {{.*}} -> tensor<64x32xf16
// CHECK: tilus.load_shared %{{.*}} access(matrix_trans) : {{.*}} -> tensor<32x64xf16
// CHECK: tilus.mma {{.*}} atom(<m16n8k16_f16_f16_f32>)
// CHECK: tilus.store_shared %{{.*}}, %{{.*}} access(matrix) : tensor<64x64xf16
tilus.kernel @matrix(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %sa = tilus.alloc_shared : !tilus.shared<64x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<32x64xf16>
  %sc = tilus.alloc_shared : !tilus.shared<64x64xf16>
  %a = tilus.load_shared %sa : !tilus.shared<64x32xf16> -> tensor<64x32xf16>
  %b = tilus.load_shared %sb : !tilus.shared<32x64xf16> -> tensor<32x64xf16>
  %d = tilus.mma %a, %b, %z : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %h = tilus.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tilus.store_shared %h, %sc : tensor<64x64xf16>, !tilus.shared<64x64xf16>
}
}

// -----

// A chip without stmatrix stores vectors.
module attributes {tilus.target = #tilus.target<chip = "sm_80">} {
// CHECK-LABEL: tilus.kernel @no_stmatrix
// CHECK: tilus.load_shared %{{.*}} access(matrix)
// CHECK: tilus.mma {{.*}} atom(<m16n8k16_f16_f16_f32>)
// CHECK: tilus.store_shared %{{[^ ]*}}, %{{[^ ]*}} : tensor<64x64xf16
tilus.kernel @no_stmatrix(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %b = arith.constant dense<1.0> : tensor<32x64xf16>
  %sa = tilus.alloc_shared : !tilus.shared<64x32xf16>
  %sc = tilus.alloc_shared : !tilus.shared<64x64xf16>
  %a = tilus.load_shared %sa : !tilus.shared<64x32xf16> -> tensor<64x32xf16>
  %d = tilus.mma %a, %b, %z : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %h = tilus.cast %d : tensor<64x64xf32> -> tensor<64x64xf16>
  tilus.store_shared %h, %sc : tensor<64x64xf16>, !tilus.shared<64x64xf16>
}
}

// -----

// Sizes and types that no instruction has are multiplied by scalar instructions; rows that are not whole runs of 16
// bytes, a pinned padding that moves rows off 16 bytes, and groups that begin within a warp use vectors.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
// CHECK-LABEL: tilus.kernel @others
// CHECK: tilus.mma {{.*}} atom(<simt>) {{.*}}tensor<5x3xf32
// CHECK: tilus.mma {{.*}} atom(<m16n8k16_f16_f16_f32>)
// CHECK: tilus.load_shared %{{[^ ]*}} : {{.*}} strides = [68, 1]
// CHECK: tilus.mma {{.*}} atom(<simt>)
tilus.kernel @others(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %a0 = arith.constant dense<1.0> : tensor<5x7xf32>
  %b0 = arith.constant dense<1.0> : tensor<7x3xf32>
  %z0 = arith.constant dense<0.0> : tensor<5x3xf32>
  %d0 = tilus.mma %a0, %b0, %z0 : tensor<5x7xf32>, tensor<7x3xf32>, tensor<5x3xf32>
  tilus.print "d", %d0 : tensor<5x3xf32>
  %a1 = arith.constant dense<1.0> : tensor<64x64xf16>
  %z1 = arith.constant dense<0.0> : tensor<64x64xf32>
  %d1 = tilus.mma %a1, %a1, %z1 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tilus.print "d", %d1 : tensor<64x64xf32>
  %s = tilus.alloc_shared : !tilus.shared<64x64xf16, #tilus.smem<shape = [64, 64], modes = [64, 64], strides = [68, 1]>>
  %t = tilus.load_shared %s : !tilus.shared<64x64xf16, #tilus.smem<shape = [64, 64], modes = [64, 64], strides = [68, 1]>> -> tensor<64x64xf16>
  %d2 = tilus.mma %t, %a1, %d1 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tilus.print "d", %d2 : tensor<64x64xf32>
  tilus.thread_group begin(16) threads(32) {
    %a3 = arith.constant dense<1.0> : tensor<16x16xf16>
    %z3 = arith.constant dense<0.0> : tensor<16x16xf32>
    %d3 = tilus.mma %a3, %a3, %z3 : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    tilus.print "d", %d3 : tensor<16x16xf32>
  }
}
}
