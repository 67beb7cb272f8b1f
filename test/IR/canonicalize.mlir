// Canonical forms of operations on tiles.
// RUN: tilus-opt %s -split-input-file -canonicalize | FileCheck %s

// CHECK-LABEL: tilus.kernel @merged
tilus.kernel @merged(%a: f32) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: tilus.broadcast %a : f32 -> tensor<8x32xf32>
  %row = tilus.broadcast %a : f32 -> tensor<1x32xf32>
  %all = tilus.broadcast %row : tensor<1x32xf32> -> tensor<8x32xf32>
  tilus.print "all", %all : tensor<8x32xf32>
  // CHECK: %[[I:.*]] = tilus.iota dim(1) : tensor<2x3x4xi32>
  // CHECK: %[[R:.*]] = tilus.reshape %[[I]] : tensor<2x3x4xi32> -> tensor<4x6xi32>
  %i = tilus.iota dim(1) : tensor<2x3x4xi32>
  %flat = tilus.reshape %i : tensor<2x3x4xi32> -> tensor<24xi32>
  %back = tilus.reshape %flat : tensor<24xi32> -> tensor<4x6xi32>
  tilus.print "back", %back : tensor<4x6xi32>
  // CHECK: tilus.transpose %[[I]] [2, 1, 0] : tensor<2x3x4xi32> -> tensor<4x3x2xi32>
  %t = tilus.transpose %i [1, 2, 0] : tensor<2x3x4xi32> -> tensor<3x4x2xi32>
  %u = tilus.transpose %t [1, 0, 2] : tensor<3x4x2xi32> -> tensor<4x3x2xi32>
  tilus.print "u", %u : tensor<4x3x2xi32>
}

// -----

// What was given a layout between two ops keeps it.
// CHECK-LABEL: tilus.kernel @pinned
tilus.kernel @pinned(%a: f32) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: tilus.reshape
  // CHECK: tilus.reshape
  %i = tilus.iota dim(0) : tensor<4x8xi32>
  %flat = tilus.reshape %i : tensor<4x8xi32> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  %back = tilus.reshape %flat : tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>> -> tensor<8x4xi32>
  tilus.print "back", %back : tensor<8x4xi32>
}

// -----

// Indices and scalars are made in the layout in which they are wanted; loaded tiles are converted.
// CHECK-LABEL: tilus.kernel @rematerialized
tilus.kernel @rematerialized(%a: i32, %x: !tilus.ptr<i32>) warps(1) grid {
  tilus.grid [%a]
} {
  // CHECK: %[[I:.*]] = tilus.iota dim(0) : tensor<32xi32, #tilus.reg<{{.*}}>>
  // CHECK: %[[B:.*]] = tilus.broadcast %a : i32 -> tensor<32xi32, #tilus.reg<{{.*}}>>
  // CHECK: arith.addi %[[I]], %[[B]]
  %i = tilus.iota dim(0) : tensor<32xi32>
  %b = tilus.broadcast %a : i32 -> tensor<32xi32>
  %ci = tilus.convert_layout %i : tensor<32xi32> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  %cb = tilus.convert_layout %b : tensor<32xi32> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  %s = arith.addi %ci, %cb : tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  tilus.print "s", %s : tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  %c0 = arith.constant 0 : i32
  %v = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<32xi32>
  // CHECK: tilus.load_global
  // CHECK: tilus.convert_layout
  %l = tilus.load_global %v[%c0] : !tilus.global<32xi32> -> tensor<32xi32>
  %cl = tilus.convert_layout %l : tensor<32xi32> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  tilus.print "l", %cl : tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
}

// -----

// CHECK-LABEL: tilus.kernel @folded
tilus.kernel @folded(%a: f32) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: %[[C:.*]] = arith.constant 7 : i32
  %b = tilus.broadcast %a : f32 -> tensor<1xf32>
  %e = tilus.extract %b : tensor<1xf32>
  %c = arith.constant dense<7> : tensor<1xi32>
  %f = tilus.extract %c : tensor<1xi32>
  // CHECK: tilus.printf "%f %d", %a, %[[C]] : f32, i32
  tilus.printf "%f %d", %e, %f : f32, i32
  %t = tilus.broadcast %a : f32 -> tensor<32xf32>
  %same = tilus.cast %t : tensor<32xf32> -> tensor<32xf32>
  // CHECK: %[[T:.*]] = tilus.broadcast %a : f32 -> tensor<32xf32>
  // CHECK: tilus.print "same", %[[T]]
  tilus.print "same", %same : tensor<32xf32>
  // A cast that saturates makes infinities finite.
  // CHECK: %[[S:.*]] = tilus.cast %[[T]] saturate
  %saturated = tilus.cast %t saturate : tensor<32xf32> -> tensor<32xf32>
  // CHECK: tilus.print "saturated", %[[S]]
  tilus.print "saturated", %saturated : tensor<32xf32>
}

// CHECK-LABEL: tilus.kernel @atomics_without_readers(
tilus.kernel @atomics_without_readers(%x: !tilus.ptr<i32>, %m: i32) warps(1) grid {
  tilus.grid [%m]
} {
  %view = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<32xi32>
  %one = arith.constant dense<1> : tensor<32xi32>
  %i = tilus.iota dim(0) : tensor<32xi32>
  // CHECK: tilus.atomic cas, %{{.*}} [%m], %{{.*}} compare(%{{.*}} : tensor<32xi32>) order(acquire) scope(sys) : !tilus.global<32xi32>, tensor<32xi32>{{$}}
  %a = tilus.atomic cas, %view[%m], %one compare(%i : tensor<32xi32>) order(acquire) scope(sys) : !tilus.global<32xi32>, tensor<32xi32> -> tensor<32xi32>
  // CHECK: tilus.atomic_scatter add, %{{.*}} dim(0), %{{.*}}, %{{.*}} : !tilus.global<32xi32>, tensor<32xi32>, tensor<32xi32>{{$}}
  %b = tilus.atomic_scatter add, %view dim(0), %i, %one : !tilus.global<32xi32>, tensor<32xi32>, tensor<32xi32> -> tensor<32xi32>
  // What is read stays.
  // CHECK: tilus.atomic add, %{{.*}} -> tensor<32xi32>
  %c = tilus.atomic add, %view[%m], %one : !tilus.global<32xi32>, tensor<32xi32> -> tensor<32xi32>
  tilus.print "c", %c : tensor<32xi32>
}
