// A product is accumulated on what it is added to, where the sum need not be rounded for itself.
// RUN: tilus-opt %s -split-input-file -canonicalize | FileCheck %s

// CHECK-LABEL: tilus.kernel @accumulated
tilus.kernel @accumulated(%x: f32, %y: f16, %n: i8) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %a = tilus.broadcast %y : f16 -> tensor<16x16xf16>
  %b = tilus.broadcast %y : f16 -> tensor<16x8xf16>
  %c = tilus.broadcast %x : f32 -> tensor<16x8xf32>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  // CHECK: %[[SCALED:.*]] = arith.mulf
  // CHECK: %[[SUM:.*]] = tilus.mma %{{.*}}, %{{.*}}, %[[SCALED]]
  // CHECK-NOT: arith.addf
  // CHECK: tilus.print "sum", %[[SUM]]
  %p = tilus.mma %a, %b, %zero : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %scaled = arith.mulf %c, %c : tensor<16x8xf32>
  %sum = arith.addf %scaled, %p fastmath<contract> : tensor<16x8xf32>
  tilus.print "sum", %sum : tensor<16x8xf32>
  // Integers have no rounding.
  // CHECK: %[[INTEGERS:.*]] = tilus.mma %{{.*}}, %{{.*}}, %[[I:.*]] : tensor<16x32xi8>
  // CHECK-NEXT: tilus.print "integers", %[[INTEGERS]]
  %d = tilus.broadcast %n : i8 -> tensor<16x32xi8>
  %e = tilus.broadcast %n : i8 -> tensor<32x8xi8>
  %i = tilus.iota dim(0) : tensor<16x8xi32>
  %none = arith.constant dense<0> : tensor<16x8xi32>
  %q = tilus.mma %d, %e, %none : tensor<16x32xi8>, tensor<32x8xi8>, tensor<16x8xi32>
  %integers = arith.addi %q, %i : tensor<16x8xi32>
  tilus.print "integers", %integers : tensor<16x8xi32>
}

// -----

// Not where each sum is rounded, the accumulator is not zero, the product is needed itself or added to itself, or
// something has an effect in between; nor of 8-bit floats.
// CHECK-LABEL: tilus.kernel @kept
// CHECK-COUNT-7: arith.addf
tilus.kernel @kept(%x: f32, %y: f16) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %a = tilus.broadcast %y : f16 -> tensor<16x16xf16>
  %b = tilus.broadcast %y : f16 -> tensor<16x8xf16>
  %c = tilus.broadcast %x : f32 -> tensor<16x8xf32>
  %half = tilus.broadcast %y : f16 -> tensor<16x8xf16>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32>
  %none = arith.constant dense<0.0> : tensor<16x8xf16>
  %p1 = tilus.mma %a, %b, %zero : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %s1 = arith.addf %p1, %c : tensor<16x8xf32>
  %p2 = tilus.mma %a, %b, %none : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf16>
  %s2 = arith.addf %p2, %half fastmath<contract> : tensor<16x8xf16>
  %p3 = tilus.mma %a, %b, %c : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %s3 = arith.addf %p3, %c fastmath<contract> : tensor<16x8xf32>
  %p4 = tilus.mma %a, %b, %zero : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %s4 = arith.addf %p4, %c fastmath<contract> : tensor<16x8xf32>
  tilus.print "product", %p4 : tensor<16x8xf32>
  %p5 = tilus.mma %a, %b, %zero : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  %s5 = arith.addf %p5, %p5 fastmath<contract> : tensor<16x8xf32>
  %p6 = tilus.mma %a, %b, %zero : tensor<16x16xf16>, tensor<16x8xf16>, tensor<16x8xf32>
  tilus.sync
  %s6 = arith.addf %p6, %c fastmath<contract> : tensor<16x8xf32>
  tilus.print "sum", %s1 : tensor<16x8xf32>
  tilus.print "sum", %s2 : tensor<16x8xf16>
  tilus.print "sum", %s3 : tensor<16x8xf32>
  tilus.print "sum", %s4 : tensor<16x8xf32>
  tilus.print "sum", %s5 : tensor<16x8xf32>
  tilus.print "sum", %s6 : tensor<16x8xf32>
  %e = tilus.broadcast %y : f16 -> tensor<16x32xf16>
  %f = tilus.broadcast %y : f16 -> tensor<32x8xf16>
  %e8 = tilus.cast %e : tensor<16x32xf16> -> tensor<16x32xf8E4M3FN>
  %f8 = tilus.cast %f : tensor<32x8xf16> -> tensor<32x8xf8E4M3FN>
  %p7 = tilus.mma %e8, %f8, %zero : tensor<16x32xf8E4M3FN>, tensor<32x8xf8E4M3FN>, tensor<16x8xf32>
  %s7 = arith.addf %p7, %c fastmath<contract> : tensor<16x8xf32>
  tilus.print "sum", %s7 : tensor<16x8xf32>
}
