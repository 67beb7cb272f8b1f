// What accesses to global memory are proven to need.
// RUN: tilus-opt %s -split-input-file -tilus-simplify-bounds | FileCheck %s
// RUN: tilus-opt %s -split-input-file -tilus-simplify-bounds -tilus-simplify-bounds | FileCheck %s

// A matrix whose sizes are multiples of the tile is read without masks: rows follow from the grid, columns
// from the loop.
// CHECK-LABEL: tilus.kernel @proven
tilus.kernel @proven(%m: i32 {tilus.divisibility = 64}, %k: i32 {tilus.divisibility = 32}, %x: !tilus.ptr<f16>) warps(4) grid {
  %c64 = arith.constant 64 : i32
  %b = arith.ceildivsi %m, %c64 : i32
  tilus.grid [%b]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %i = tilus.block_id x
  %row = arith.muli %i, %c64 : i32
  %v = tilus.global_view %x [%m, %k] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  scf.for %col = %c0 to %k step %c32 : i32 {
    // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: true, true>, tilus.mask_vector = 32 : i64, tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64}
    %t = tilus.load_global %v[%row, %col] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
    // A tile beyond the step may reach outside.
    // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false, false>, tilus.mask_vector = 32 : i64, tilus.non_negative = array<i1: true, true>, tilus.vector = 8 : i64
    %u = tilus.load_global %v[%row, %col] : !tilus.global<?x?xf16> -> tensor<128x64xf16>
  }
}

// -----

// Nothing is known of the sizes: accesses are of one element, as the next row may begin anywhere.
// CHECK-LABEL: tilus.kernel @unknown
tilus.kernel @unknown(%m: i32, %n: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x [%m, %n] : !tilus.ptr<f16> -> !tilus.global<?x?xf16>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false, false>, tilus.mask_vector = 1 : i64, tilus.non_negative = array<i1: true, true>, tilus.vector = 1 : i64, tilus.vector_dim = 1 : i64}
  %t = tilus.load_global %v[%c0, %c0] : !tilus.global<?x?xf16> -> tensor<64x32xf16>
  // One row at offset 0 is aligned whatever the row's length.
  // CHECK: tilus.load_global {{.*}} tilus.mask_vector = 1 : i64, {{.*}}tilus.offset_bits = 32 : i64, tilus.vector = 8 : i64, tilus.vector_dim = 0 : i64
  %u = tilus.load_global %v[%c0, %c0] : !tilus.global<?x?xf16> -> tensor<32xf16>
  // CHECK: tilus.load_global {{.*}} tilus.vector = 1 : i64, tilus.vector_dim = 0 : i64
  %w = tilus.load_global %v[%n, %c0] : !tilus.global<?x?xf16> -> tensor<32xf16>
}

// -----

// Static sizes: what is inside, what reaches outside on either side, and how far groups share a mask.
// CHECK-LABEL: tilus.kernel @static
tilus.kernel @static(%n: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c-4 = arith.constant -4 : i32
  %c-2 = arith.constant -2 : i32
  %c32 = arith.constant 32 : i32
  %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<100xf32>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: true>, tilus.mask_vector = 64 : i64, tilus.offset_bits = 32 : i64, tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64}
  %a = tilus.load_global %v[%c32] : !tilus.global<100xf32> -> tensor<64xf32>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false>, tilus.mask_vector = 4 : i64, {{.*}}tilus.vector = 4
  %b = tilus.load_global %v[%c32] : !tilus.global<100xf32> -> tensor<128xf32>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false>, tilus.mask_vector = 4 : i64, {{.*}}tilus.vector = 4
  %c = tilus.load_global %v[%c-4] : !tilus.global<100xf32> -> tensor<64xf32>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false>, tilus.mask_vector = 2 : i64, {{.*}}tilus.vector = 2
  %d = tilus.load_global %v[%c-2] : !tilus.global<100xf32> -> tensor<64xf32>
  // Groups tile the dimension: 48 = 3 * 16.
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: true>, tilus.mask_vector = 16 : i64
  %e = tilus.load_global %v[%c32] : !tilus.global<100xf32> -> tensor<48xf32>
  // An empty view has nothing inside, so that no group is divided.
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false>, tilus.mask_vector = 64 : i64, tilus.non_negative = array<i1: true>, tilus.offset_bits = 32
  %none = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<0xf32>
  %f = tilus.load_global %none[%c0] : !tilus.global<0xf32> -> tensor<64xf32>
}

// -----

// Strides and maps: the unit stride may lie anywhere, and other strides must keep the alignment.
// CHECK-LABEL: tilus.kernel @strides
tilus.kernel @strides(%m: i32, %s: i32 {tilus.divisibility = 4}, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x strides [%s] : !tilus.ptr<f16> -> !tilus.global<64x64xf16, strides = [1, ?]>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: true, true>, tilus.mask_vector = 64 : i64, tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64}
  %a = tilus.load_global %v[%c0, %c0] : !tilus.global<64x64xf16, strides = [1, ?]> -> tensor<64x64xf16>
  // CHECK: tilus.load_global {{.*}} dims [1, 0] {{.*}}tilus.vector = 4 : i64, tilus.vector_dim = 1 : i64}
  %b = tilus.load_global %v[%c0, %c0] dims [1, 0] : !tilus.global<64x64xf16, strides = [1, ?]> -> tensor<64x64xf16>
  // No unit stride.
  // CHECK: tilus.load_global {{.*}} dims [1] {{.*}}tilus.vector = 1 : i64, tilus.vector_dim = 0 : i64}
  %c = tilus.load_global %v[%c0, %c0] dims [1] : !tilus.global<64x64xf16, strides = [1, ?]> -> tensor<64xf16>
  // The stride of a dimension of size 1 plays no part.
  %w = tilus.global_view %x strides [%m] : !tilus.ptr<f16> -> !tilus.global<1x64xf16, strides = [?, 1]>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: true, true>, {{.*}}tilus.vector = 8 : i64, tilus.vector_dim = 1 : i64}
  %d = tilus.load_global %w[%c0, %c0] : !tilus.global<1x64xf16, strides = [?, 1]> -> tensor<1x64xf16>
  // A column of width 1 has unit stride along the rows too.
  %y = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x1xf16>
  // CHECK: tilus.load_global {{.*}} {tilus.in_bounds = array<i1: false, true>, tilus.mask_vector = 1 : i64, {{.*}}tilus.vector = 8 : i64, tilus.vector_dim = 0 : i64}
  %e = tilus.load_global %y[%c0, %c0] : !tilus.global<?x1xf16> -> tensor<64x1xf16>
}
