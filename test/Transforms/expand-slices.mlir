// Slices of tiles as selections by index.
// RUN: tilus-opt %s -split-input-file -tilus-expand-slices | FileCheck %s

// CHECK-LABEL: tilus.kernel @extract
tilus.kernel @extract(%i: i32) warps(1) grid {
  tilus.grid [%i]
} {
  %t = arith.constant dense<-0.0> : tensor<4x32xf32>
  // The bits are or-ed, which keeps -0.0 and NaN.
  // CHECK: %[[BITS:.*]] = arith.bitcast %{{.*}} : tensor<4x32xf32> to tensor<4x32xi32>
  // CHECK: %[[INDEX:.*]] = tilus.iota dim(0) : tensor<4x32xi32>
  // CHECK: %[[WANTED:.*]] = tilus.broadcast %{{.*}} : i32 -> tensor<4x32xi32>
  // CHECK: %[[IS:.*]] = arith.cmpi eq, %[[INDEX]], %[[WANTED]]
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0> : tensor<4x32xi32>
  // CHECK: %[[KEPT:.*]] = arith.select %[[IS]], %[[BITS]], %[[ZERO]]
  // CHECK: %[[ONE:.*]] = tilus.reduce or, %[[KEPT]] dim(0) : tensor<4x32xi32> -> tensor<32xi32>
  // CHECK: %[[RESULT:.*]] = arith.bitcast %[[ONE]] : tensor<32xi32> to tensor<32xf32>
  // CHECK: tilus.print "r", %[[RESULT]]
  %r = tilus.extract_slice %t[%i] dims [0] : tensor<4x32xf32> -> tensor<32xf32>
  tilus.print "r", %r : tensor<32xf32>
}

// -----

// Several dimensions vanish in turn, the last first.
// CHECK-LABEL: tilus.kernel @extract_two
tilus.kernel @extract_two(%i: i32, %j: i32) warps(1) grid {
  tilus.grid [%i]
} {
  %t = arith.constant dense<1> : tensor<4x8x2xi16>
  // CHECK: tilus.iota dim(2) : tensor<4x8x2xi32>
  // CHECK: tilus.broadcast %j
  // CHECK: tilus.reduce or, %{{.*}} dim(2) : tensor<4x8x2xi16> -> tensor<4x8xi16>
  // CHECK: tilus.iota dim(0) : tensor<4x8xi32>
  // CHECK: tilus.broadcast %i
  // CHECK: tilus.reduce or, %{{.*}} dim(0) : tensor<4x8xi16> -> tensor<8xi16>
  %r = tilus.extract_slice %t[%i, %j] dims [0, 2] : tensor<4x8x2xi16> -> tensor<8xi16>
  tilus.print "r", %r : tensor<8xi16>
}

// -----

// Offsets of other widths: outside of the tile they must not wrap into it.
// CHECK-LABEL: tilus.kernel @offsets
tilus.kernel @offsets(%i: i64, %j: i8, %k: index) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %t = arith.constant dense<true> : tensor<300x4x2xi1>
  // CHECK: %[[SMALL:.*]] = arith.cmpi ult, %k, %{{.*}} : index
  // CHECK: %[[LOW:.*]] = arith.index_cast %k : index to i32
  // CHECK: arith.select %[[SMALL]], %[[LOW]], %{{.*}} : i32
  // CHECK: tilus.reduce or, %{{.*}} : tensor<300x4x2xi1>
  // CHECK: arith.extsi %j : i8 to i32
  // CHECK: arith.constant 300 : i64
  // CHECK: arith.cmpi ult, %i, %{{.*}} : i64
  // CHECK: arith.trunci %i : i64 to i32
  // CHECK-NOT: tilus.extract_slice
  %r = tilus.extract_slice %t[%i : i64, %j : i8, %k : index] dims [0, 1, 2] : tensor<300x4x2xi1> -> tensor<i1>
  tilus.print "r", %r : tensor<i1>
}

// -----

// Elements that arith does not have travel in a type that holds all their values.
// CHECK-LABEL: tilus.kernel @carried
tilus.kernel @carried(%i: i32) warps(1) grid {
  tilus.grid [%i]
} {
  %f = arith.constant dense<1.0> : tensor<4x8xf32>
  %low = tilus.cast %f : tensor<4x8xf32> -> tensor<4x8x!tilus.float<4, 2>>
  %n = arith.constant dense<1> : tensor<4x8xi8>
  %bit = tilus.cast %n : tensor<4x8xi8> -> tensor<4x8x!tilus.bit>
  %f4 = tilus.cast %f : tensor<4x8xf32> -> tensor<4x8xf4E2M1FN>
  // CHECK: tilus.cast %{{.*}} : tensor<4x8x!tilus.float<4, 2>> -> tensor<4x8xf32>
  // CHECK: tilus.reduce or, %{{.*}} : tensor<4x8xi32> -> tensor<8xi32>
  // CHECK: tilus.cast %{{.*}} : tensor<8xf32> -> tensor<8x!tilus.float<4, 2>>
  %a = tilus.extract_slice %low[%i] dims [0] : tensor<4x8x!tilus.float<4, 2>> -> tensor<8x!tilus.float<4, 2>>
  tilus.print "a", %a : tensor<8x!tilus.float<4, 2>>
  // CHECK: tilus.cast %{{.*}} unsigned_source unsigned_result : tensor<4x8x!tilus.bit> -> tensor<4x8xi8>
  // CHECK: tilus.reduce or, %{{.*}} : tensor<4x8xi8> -> tensor<8xi8>
  // CHECK: tilus.cast %{{.*}} : tensor<8xi8> -> tensor<8x!tilus.bit>
  %b = tilus.extract_slice %bit[%i] dims [0] : tensor<4x8x!tilus.bit> -> tensor<8x!tilus.bit>
  tilus.print "b", %b : tensor<8x!tilus.bit>
  // CHECK: tilus.reduce or, %{{.*}} : tensor<4x8xi4> -> tensor<8xi4>
  %c = tilus.extract_slice %f4[%i] dims [0] : tensor<4x8xf4E2M1FN> -> tensor<8xf4E2M1FN>
  tilus.print "c", %c : tensor<8xf4E2M1FN>
}

// -----

// CHECK-LABEL: tilus.kernel @insert
tilus.kernel @insert(%i: i32, %j: i32) warps(1) grid {
  tilus.grid [%i]
} {
  %t = arith.constant dense<1.0> : tensor<4x8x2xf16>
  %s = arith.constant dense<2.0> : tensor<8xf16>
  // CHECK: %[[A:.*]] = arith.cmpi eq
  // CHECK: %[[B:.*]] = arith.cmpi eq
  // CHECK: %[[IS:.*]] = arith.andi %[[A]], %[[B]]
  // CHECK: %[[ROW:.*]] = tilus.reshape %{{.*}} : tensor<8xf16> -> tensor<1x8x1xf16>
  // CHECK: %[[ALL:.*]] = tilus.broadcast %[[ROW]] : tensor<1x8x1xf16> -> tensor<4x8x2xf16>
  // CHECK: arith.select %[[IS]], %[[ALL]], %{{.*}} : tensor<4x8x2xi1>, tensor<4x8x2xf16>
  %r = tilus.insert_slice %s, %t[%i, %j] dims [0, 2] : tensor<8xf16>, tensor<4x8x2xf16>
  tilus.print "r", %r : tensor<4x8x2xf16>
}

// -----

// Pinned layouts stay with the tiles that have them; a slice of nothing is the tile itself.
// CHECK-LABEL: tilus.kernel @pinned
#row = #tilus.reg<shape = [4, 32], modes = [4, 32], spatial = [1], local = [0]>
tilus.kernel @pinned(%i: i32) warps(1) grid {
  tilus.grid [%i]
} {
  %t = tilus.iota dim(1) : tensor<4x32xi32, #row>
  // CHECK: tilus.reduce or, %{{.*}} dim(0) : tensor<4x32xi32, #tilus.reg<{{.*}}>> -> tensor<32xi32>
  // CHECK: tilus.convert_layout %{{.*}} : tensor<32xi32> -> tensor<32xi32, #tilus.reg<{{.*}}>>
  %r = tilus.extract_slice %t[%i] dims [0] : tensor<4x32xi32, #row> -> tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  tilus.print "r", %r : tensor<32xi32, #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>>
  %u = tilus.iota dim(1) : tensor<4x32xi32>
  %same = tilus.extract_slice %u[] dims [] : tensor<4x32xi32> -> tensor<4x32xi32>
  // CHECK: %[[U:.*]] = tilus.iota dim(1) : tensor<4x32xi32>
  // CHECK: tilus.print "same", %[[U]]
  tilus.print "same", %same : tensor<4x32xi32>
}
