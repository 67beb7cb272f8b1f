// RUN: tilus-opt %s --split-input-file --tilus-infer-layouts --tilus-verify-phase | FileCheck %s

// A load and the store of what was loaded keep vectors of 16 bytes; nothing is converted.
// CHECK-LABEL: tilus.kernel @copy
// CHECK: tilus.load_global {{.*}} -> tensor<64x64xf16, #tilus.reg<shape = [64, 64], modes = [4, 16, 8, 8], spatial = [1, 2], local = [0, 3]>>
// CHECK-NOT: convert_layout
// CHECK: tilus.store_global
tilus.kernel @copy(%m: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
  %t = tilus.load_global %g[%c0, %c0] {tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64} : !tilus.global<?x64xf16> -> tensor<64x64xf16>
  %r = arith.addf %t, %t : tensor<64x64xf16>
  tilus.store_global %r, %g[%c0, %c0] {tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64} : tensor<64x64xf16>, !tilus.global<?x64xf16>
}

// -----

// The vector runs along the dimension that is contiguous in memory.
// CHECK-LABEL: tilus.kernel @columns
// CHECK: tilus.load_global {{.*}} -> tensor<64x64xf32, #tilus.reg<shape = [64, 64], modes = [16, 4, 8, 8], spatial = [3, 0], local = [2, 1]>>
tilus.kernel @columns(%m: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] strides [%m] : !tilus.ptr<f32> -> !tilus.global<64x?xf32, strides = [1, ?]>
  %t = tilus.load_global %g[%c0, %c0] {tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64} : !tilus.global<64x?xf32, strides = [1, ?]> -> tensor<64x64xf32>
  tilus.print "t", %t : tensor<64x64xf32>
}

// -----

// Operands of a matrix product are loaded from shared memory in its fragments, the loop carries the accumulator
// without a conversion, and the shared tiles are swizzled.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
// CHECK-LABEL: tilus.kernel @gemm
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<64x64xf32, #[[ACC:tilus.reg<.*>]]>
// CHECK-DAG: tilus.alloc_shared : !tilus.shared<64x32xf16, #tilus.smem<shape = [64, 32], modes = [64, 32], strides = [32, 1], swizzle = [3, 2, 3]>>
// CHECK-DAG: tilus.alloc_shared : !tilus.shared<32x64xf16, #tilus.smem<shape = [32, 64], modes = [32, 64], strides = [64, 1], swizzle = [3, 3, 3]>>
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: tilus.mma
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK: }
// The result is narrowed before it is converted for the store.
// CHECK: %[[H:.*]] = tilus.cast
// CHECK: %[[C:.*]] = tilus.convert_layout %[[H]] : tensor<64x64xf16
// CHECK: tilus.store_global %[[C]]
tilus.kernel @gemm(%m: i32, %k: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %ga = tilus.global_view %x [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %sa = tilus.alloc_shared : !tilus.shared<64x32xf16>
  %sb = tilus.alloc_shared : !tilus.shared<32x64xf16>
  %r = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %z) -> tensor<64x64xf32> : i32 {
    tilus.copy_async %ga[%c0, %i], %sa : !tilus.global<?x?xf16>, !tilus.shared<64x32xf16>
    tilus.copy_async %ga[%i, %c0], %sb : !tilus.global<?x?xf16>, !tilus.shared<32x64xf16>
    tilus.copy_async.wait_all
    tilus.sync
    %a = tilus.load_shared %sa : !tilus.shared<64x32xf16> -> tensor<64x32xf16>
    %b = tilus.load_shared %sb : !tilus.shared<32x64xf16> -> tensor<32x64xf16>
    %d = tilus.mma %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = tilus.cast %r : tensor<64x64xf32> -> tensor<64x64xf16>
  tilus.store_global %h, %ga[%c0, %c0] {tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64} : tensor<64x64xf16>, !tilus.global<?x?xf16>
}
}

// -----

// The same tile twice in a product gets both fragments.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
// CHECK-LABEL: tilus.kernel @square
// CHECK: %[[A:.*]] = tilus.convert_layout %[[T:.*]] : tensor<16x16xf16, {{.*}}> -> tensor<16x16xf16, #[[LA:tilus.reg<.*>]]>
// CHECK: tilus.mma
tilus.kernel @square(%m: i32, %x: !tilus.ptr<f16>) warps(1) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x16xf16>
  %t = tilus.load_global %g[%c0, %c0] {tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64} : !tilus.global<?x16xf16> -> tensor<16x16xf16>
  %z = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tilus.mma %t, %t, %z : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tilus.print "d", %d : tensor<16x16xf32>
}
}

// -----

// A pinned layout is kept, and converted to where it is needed; a constant is made anew instead.
// CHECK-LABEL: tilus.kernel @pinned
// CHECK: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
// CHECK: %[[T:.*]] = tilus.load_global
// CHECK: %[[P:.*]] = tilus.convert_layout %[[T]] : {{.*}} -> tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
// CHECK: arith.addf %[[P]], %{{.*}} : tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
tilus.kernel @pinned(%m: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %one = arith.constant dense<1.0> : tensor<256xf32>
  %g = tilus.global_view %x [%m] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %t = tilus.load_global %g[%c0] {tilus.vector = 2 : i64, tilus.vector_dim = 0 : i64} : !tilus.global<?xf32> -> tensor<256xf32>
  %p = tilus.convert_layout %t : tensor<256xf32> -> tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
  %q = tilus.convert_layout %one : tensor<256xf32> -> tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
  %s = arith.addf %p, %q : tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>>
  %u = tilus.convert_layout %s : tensor<256xf32, #tilus.reg<shape = [256], modes = [2, 128], spatial = [1], local = [0]>> -> tensor<256xf32>
  tilus.store_global %u, %g[%c0] {tilus.vector = 2 : i64, tilus.vector_dim = 0 : i64} : tensor<256xf32>, !tilus.global<?xf32>
}

// -----

// A reshape that no spread of threads over both shapes survives has one walk of slots between the threads below
// and above the boundaries.
// CHECK-LABEL: tilus.kernel @reshape
// CHECK: tilus.reshape %{{.*}} : tensor<64x96xf32, #tilus.reg<{{.*}}>> -> tensor<96x64xf32, #tilus.reg<{{.*}}>>
tilus.kernel @reshape(%m: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f32> -> !tilus.global<?x96xf32>
  %t = tilus.load_global %g[%c0, %c0] {tilus.vector = 4 : i64, tilus.vector_dim = 1 : i64} : !tilus.global<?x96xf32> -> tensor<64x96xf32>
  %r = tilus.reshape %t : tensor<64x96xf32> -> tensor<96x64xf32>
  tilus.print "r", %r : tensor<96x64xf32>
}

// -----

// Of 128 threads, two would have elements of their own with a layout of both shapes: the reshape moves elements instead.
// CHECK-LABEL: tilus.kernel @reshape_moved
// CHECK-NOT: convert_layout
// CHECK: tilus.reshape %{{.*}} : tensor<16x24x7xbf16, #tilus.reg<shape = [16, 24, 7], modes = [16, 3, 8, 7], spatial = [0, 2], local = [1, 3]>> -> tensor<14x8x24xbf16, #tilus.reg<shape = [14, 8, 24], modes = [7, 2, 8, 3, 8], spatial = [1, 2, 4], local = [0, 3]>>
tilus.kernel @reshape_moved(%x: !tilus.ptr<bf16>, %y: !tilus.ptr<bf16>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x : !tilus.ptr<bf16> -> !tilus.global<16x24x7xbf16>
  %gy = tilus.global_view %y : !tilus.ptr<bf16> -> !tilus.global<14x8x24xbf16>
  %t = tilus.load_global %gx[%c0, %c0, %c0] : !tilus.global<16x24x7xbf16> -> tensor<16x24x7xbf16>
  %r = tilus.reshape %t : tensor<16x24x7xbf16> -> tensor<14x8x24xbf16>
  tilus.store_global %r, %gy[%c0, %c0, %c0] : tensor<14x8x24xbf16>, !tilus.global<14x8x24xbf16>
}

// -----

// A thread group makes its own copies of what follows from scalars, in layouts of its own threads.
// CHECK-LABEL: tilus.kernel @group
// CHECK: tilus.thread_group begin(32) threads(32)
// CHECK: arith.constant dense<1> : tensor<64xi32, #tilus.reg<shape = [64], modes = [32, 2], spatial = [0], local = [1]>>
tilus.kernel @group(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %one = arith.constant dense<1> : tensor<64xi32>
  tilus.thread_group begin(32) threads(32) {
    tilus.print "one", %one : tensor<64xi32>
  }
  tilus.print "one", %one : tensor<64xi32>
}

// -----

// A conversion of a tile from outside a loop is made once, before the loop.
module attributes {tilus.target = #tilus.target<chip = "sm_90a">} {
// CHECK-LABEL: tilus.kernel @hoist
// CHECK: %[[C:.*]] = tilus.convert_layout
// CHECK: scf.for
// CHECK-NOT: convert_layout
// CHECK: tilus.mma %[[C]]
// CHECK-NOT: convert_layout
// CHECK: scf.yield
tilus.kernel @hoist(%m: i32, %x: !tilus.ptr<f16>) warps(1) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
  %a = tilus.load_global %g[%c0, %c0] {tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64} : !tilus.global<?x64xf16> -> tensor<64x64xf16>
  %b = arith.constant dense<1.0> : tensor<64x64xf16>
  %z = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = scf.for %k = %c0 to %m step %c1 iter_args(%acc = %z) -> tensor<64x64xf32> : i32 {
    %d = tilus.mma %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tilus.print "r", %r : tensor<64x64xf32>
}
}
