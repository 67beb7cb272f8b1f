// What accesses are proven to need: pointers, slices, packed types, other ops, and integers that prove constant.
// RUN: tilus-opt %s -split-input-file -tilus-simplify-bounds | FileCheck %s

// The pointer's alignment limits the access; a slice's offset lowers it.
// CHECK-LABEL: tilus.kernel @bases
tilus.kernel @bases(%i: i32, %x: !tilus.ptr<f16> {tilus.divisibility = 4}, %y: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%i]
} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %v = tilus.global_view %x : !tilus.ptr<f16> -> !tilus.global<64xf16>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 2 : i64
  %a = tilus.load_global %v[%c0] : !tilus.global<64xf16> -> tensor<64xf16>
  %w = tilus.global_view %y : !tilus.ptr<f16> -> !tilus.global<64x12xf16>
  %row = tilus.slice_global %w[%c3] dims [0] : !tilus.global<64x12xf16> -> !tilus.global<12xf16>
  // CHECK: tilus.load_global {{.*}}{tilus.in_bounds = array<i1: true>, tilus.mask_vector = 4 : i64, tilus.offset_bits = 32 : i64, tilus.vector = 4 : i64
  %b = tilus.load_global %row[%c0] : !tilus.global<12xf16> -> tensor<12xf16>
  %column = tilus.slice_global %w[%c3] dims [1] : !tilus.global<64x12xf16> -> !tilus.global<64xf16, strides = [12]>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 1 : i64
  %c = tilus.load_global %column[%c0] : !tilus.global<64xf16, strides = [12]> -> tensor<64xf16>
  // A slice at an unknown row is no further than the type allows in bytes, but the row is not checked.
  %any = tilus.slice_global %w[%i] dims [0] : !tilus.global<64x12xf16> -> !tilus.global<12xf16>
  // CHECK: tilus.load_global {{.*}}{tilus.in_bounds = array<i1: true>, tilus.mask_vector = 4 : i64, tilus.vector = 4 : i64
  %d = tilus.load_global %any[%c0] : !tilus.global<12xf16> -> tensor<12xf16>
}

// -----

// Packed elements: groups take whole bytes, and start where an access of their bytes may.
// CHECK-LABEL: tilus.kernel @packed
tilus.kernel @packed(%n: i32, %x: !tilus.ptr<i4>, %y: !tilus.ptr<f6E2M3FN>, %z: !tilus.ptr<!tilus.bit>, %b: !tilus.ptr<i1>) warps(4) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c4 = arith.constant 4 : i32
  %i4 = tilus.global_view %x : !tilus.ptr<i4> -> !tilus.global<1024xi4>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 32 : i64
  %a = tilus.load_global %i4[%c0] : !tilus.global<1024xi4> -> tensor<256xi4>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 2 : i64
  %c = tilus.load_global %i4[%c2] : !tilus.global<1024xi4> -> tensor<256xi4>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 1 : i64
  %d = tilus.load_global %i4[%c1] : !tilus.global<1024xi4> -> tensor<256xi4>
  // 16 elements of 6 bits are 12 bytes, accessed as words of 4.
  %f6 = tilus.global_view %y : !tilus.ptr<f6E2M3FN> -> !tilus.global<1024xf6E2M3FN>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 16 : i64
  %e = tilus.load_global %f6[%c0] : !tilus.global<1024xf6E2M3FN> -> tensor<256xf6E2M3FN>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 4 : i64
  %f = tilus.load_global %f6[%c4] : !tilus.global<1024xf6E2M3FN> -> tensor<256xf6E2M3FN>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 1 : i64
  %g = tilus.load_global %f6[%c2] : !tilus.global<1024xf6E2M3FN> -> tensor<256xf6E2M3FN>
  %bits = tilus.global_view %z : !tilus.ptr<!tilus.bit> -> !tilus.global<1024x!tilus.bit>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 128 : i64
  %h = tilus.load_global %bits[%c0] : !tilus.global<1024x!tilus.bit> -> tensor<256x!tilus.bit>
  %bools = tilus.global_view %b : !tilus.ptr<i1> -> !tilus.global<1024xi1>
  // CHECK: tilus.load_global {{.*}}tilus.vector = 16 : i64
  %i = tilus.load_global %bools[%c0] : !tilus.global<1024xi1> -> tensor<256xi1>
}

// -----

// Workspaces are aligned; stores, copies and atomics are described like loads, shared atomics are not.
// CHECK-LABEL: tilus.kernel @ops
tilus.kernel @ops(%n: i32, %x: !tilus.ptr<f32>) warps(4) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %w = tilus.alloc_global [%n] : !tilus.global<?x64xi32>
  %one = arith.constant dense<1> : tensor<64xi32>
  // CHECK: tilus.store_global {{.*}} {tilus.in_bounds = array<i1: false, true>, tilus.mask_vector = 64 : i64, tilus.vector = 4 : i64, tilus.vector_dim = 0 : i64}
  tilus.store_global %one, %w[%n, %c0] : tensor<64xi32>, !tilus.global<?x64xi32>
  // CHECK: tilus.atomic add, {{.*}} {tilus.in_bounds = array<i1: false, true>
  tilus.atomic add, %w[%n, %c0], %one : !tilus.global<?x64xi32>, tensor<64xi32>
  %v = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<64xf32>
  %s = tilus.alloc_shared : !tilus.shared<64xf32>
  %t = tilus.alloc_shared : !tilus.shared<64xi32>
  // CHECK: tilus.copy_async {{.*}} {tilus.in_bounds = array<i1: true>
  tilus.copy_async %v[%c0], %s : !tilus.global<64xf32>, !tilus.shared<64xf32>
  // CHECK: tilus.atomic add, {{.*}}, %{{[a-z0-9_]*}} : !tilus.shared<64xi32>
  tilus.atomic add, %t, %one : !tilus.shared<64xi32>, tensor<64xi32>
}

// -----

// Offsets of 2^31 bytes and more need 64 bits; those of elements outside do not count.
// CHECK-LABEL: tilus.kernel @far
tilus.kernel @far(%i: i32, %x: !tilus.ptr<i8>) warps(4) grid {
  tilus.grid [%i]
} {
  %v = tilus.global_view %x : !tilus.ptr<i8> -> !tilus.global<2147483648xi8>
  // CHECK: tilus.load_global {{.*}}tilus.offset_bits = 32
  %a = tilus.load_global %v[%i] : !tilus.global<2147483648xi8> -> tensor<64xi8>
  %w = tilus.global_view %x : !tilus.ptr<i8> -> !tilus.global<2147483649xi8>
  // CHECK: tilus.load_global
  // CHECK-NOT: tilus.offset_bits
  // CHECK-SAME: tilus.vector = 1 : i64
  %b = tilus.load_global %w[%i] : !tilus.global<2147483649xi8> -> tensor<64xi8>
}

// -----

// Integers that prove constant, or one of their operands; what states an assumption stays, and so does the grid.
// CHECK-LABEL: tilus.kernel @integers
// CHECK: arith.minsi
// CHECK: tilus.grid
tilus.kernel @integers(%n: i32) warps(4) grid {
  %c0 = arith.constant 0 : i32
  %least = arith.minsi %n, %c0 : i32
  tilus.grid [%least]
} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %c100 = arith.constant 100 : i32
  // CHECK-DAG: %[[REM:.*]] = arith.remsi %{{.*}}, %{{.*}} : i32
  // CHECK-DAG: %[[EQ:.*]] = arith.cmpi eq, %[[REM]], %{{.*}} : i32
  // CHECK-DAG: %[[LE:.*]] = arith.cmpi sle
  // CHECK-DAG: %[[GE:.*]] = arith.cmpi sge
  %r = arith.remsi %n, %c8 : i32
  %eq = arith.cmpi eq, %r, %c0 : i32
  %le = arith.cmpi sle, %n, %c100 : i32
  %ge = arith.cmpi sge, %n, %c0 : i32
  %x = arith.andi %eq, %le : i1
  %y = arith.andi %x, %ge : i1
  // CHECK: tilus.assume
  tilus.assume %y
  %min = arith.minsi %n, %c100 : i32
  %max = arith.maxsi %min, %c0 : i32
  %c128 = arith.constant 128 : i32
  %rem = arith.remui %max, %c128 : i32
  %negative = arith.cmpi slt, %n, %c0 : i32
  // CHECK: tilus.printf "%d %d %d %d %d", %[[N:.*]], %[[N]], %[[N]], %{{false.*}}, %{{true.*}}
  tilus.printf "%d %d %d %d %d", %min, %max, %rem, %negative, %eq : i32, i32, i32, i1, i1
}
