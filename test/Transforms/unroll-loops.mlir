// Loops that ask for it are unrolled: by a number whatever their bounds, or fully.
// RUN: tilus-opt %s --tilus-unroll-loops --split-input-file --verify-diagnostics | FileCheck %s

// Bounds of run time: whole chunks first, then what is left. LLVM unrolls neither further.
// CHECK: #loop_unroll = #llvm.loop_unroll<disable = true>
// CHECK: #loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll>
// CHECK-LABEL: tilus.kernel @dynamic
// CHECK-SAME:  %[[N:.+]]: i32
tilus.kernel @dynamic(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c2 = arith.constant 2 : i32
  // CHECK-DAG: %[[C0:.+]] = arith.constant 0 : i32
  // CHECK-DAG: %[[C2:.+]] = arith.constant 2 : i32
  // CHECK:     %[[END:.+]] = arith.maxsi %[[N]], %[[C0]]
  // CHECK:     %[[REST:.+]] = arith.remui %{{.+}}, %{{.+}}
  // CHECK:     %[[SPLIT:.+]] = arith.subi %[[END]], %[[REST]]
  // CHECK:     %[[MAIN:.+]] = scf.for %[[I:.+]] = %[[C0]] to %[[SPLIT]] step %{{.+}} iter_args(%[[A:.+]] = %[[C0]])
  // CHECK:       %[[A1:.+]] = arith.addi %[[A]], %[[I]]
  // CHECK:       %[[I1:.+]] = arith.addi %[[I]],
  // CHECK:       %[[A2:.+]] = arith.addi %[[A1]], %[[I1]]
  // CHECK:       %[[I2:.+]] = arith.addi %[[I]],
  // CHECK:       %[[A3:.+]] = arith.addi %[[A2]], %[[I2]]
  // CHECK:       scf.yield %[[A3]]
  // CHECK:     } {loop_annotation = #loop_annotation}
  // CHECK:     scf.for %{{.+}} = %[[SPLIT]] to %[[N]] step %[[C2]] iter_args(%{{.+}} = %[[MAIN]])
  // CHECK:     } {loop_annotation = #loop_annotation}
  %sum = scf.for %i = %c0 to %n step %c2 iter_args(%a = %c0) -> (i32) : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  } {tilus.unroll = 3 : i32}
  tilus.printf "%d", %sum : i32
}

// -----

// A number of rounds that is a multiple leaves nothing over; one round over needs no loop.
// CHECK-LABEL: tilus.kernel @constant
tilus.kernel @constant() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  %c9 = arith.constant 9 : i32
  // CHECK:         scf.for
  // CHECK-COUNT-4:   tilus.printf
  // CHECK-NOT:       tilus.printf
  // CHECK-NOT:     scf.for
  // CHECK:         tilus.sync
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tilus.printf "%d", %i : i32
  } {tilus.unroll = 4 : i32}
  tilus.sync
  // CHECK:         scf.for
  // CHECK-COUNT-4:   tilus.printf
  // CHECK:         }
  // CHECK-NEXT:    tilus.printf "%d", %{{.+}} : i32
  scf.for %i = %c0 to %c9 step %c1 : i32 {
    tilus.printf "%d", %i : i32
  } {tilus.unroll = 4 : i32}
}

// -----

// Fully, inner loops before the outer one; without a round nothing stays.
// CHECK-LABEL: tilus.kernel @full
tilus.kernel @full() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  // CHECK-NOT:     scf.for
  // CHECK-COUNT-6: tilus.printf "x
  // CHECK-NOT:     tilus.printf
  scf.for %i = %c0 to %c2 step %c1 : i32 {
    scf.for %j = %c0 to %c3 step %c1 : i32 {
      tilus.printf "x%d %d", %i, %j : i32, i32
    } {tilus.unroll = 9 : i32}
  } {tilus.unroll}
  scf.for %i = %c3 to %c3 step %c1 : i32 {
    tilus.printf "never"
  } {tilus.unroll}
  tilus.sync
}

// -----

// What does not ask stays as it is, and 1 only keeps LLVM away.
// CHECK-LABEL: tilus.kernel @kept
tilus.kernel @kept(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK:      scf.for
  // CHECK-NEXT:   tilus.sync
  // CHECK-NEXT: }
  // CHECK-NEXT: scf.for
  // CHECK-NEXT:   tilus.sync
  // CHECK-NEXT: } {loop_annotation
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilus.sync
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilus.sync
  } {tilus.unroll = 1 : i32}
}

// -----

tilus.kernel @bounds(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op expected constant bounds and a constant step of a loop that is unrolled fully}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tilus.sync
  } {tilus.unroll}
}

// -----

tilus.kernel @many() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c9999 = arith.constant 9999 : i32
  // expected-error @below {{'scf.for' op expected at most 4096 rounds of a loop that is unrolled fully, but got 9999}}
  scf.for %i = %c0 to %c9999 step %c1 : i32 {
    tilus.sync
  } {tilus.unroll}
}

// -----

tilus.kernel @step(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c9 = arith.constant 9 : i32
  // expected-error @below {{'scf.for' op expected a constant step of a loop that is unrolled, of which 'i32' holds 4 times, but got another}}
  scf.for %i = %c0 to %c9 step %n : i32 {
    tilus.sync
  } {tilus.unroll = 4 : i32}
}

// -----

// Loops that load a few registers a round from memory that does not change are unrolled unasked, those of more, of other
// memory or of many registers not, nor one that asks for itself.
#few = #tilus.reg<shape = [32], modes = [32], spatial = [0], local = []>
#lots = #tilus.reg<shape = [8192], modes = [256, 32], spatial = [1], local = [0]>
#many = #tilus.reg<shape = [1024], modes = [32, 32], spatial = [0], local = [1]>
// CHECK-LABEL: tilus.kernel @fetching
tilus.kernel @fetching(%n: i32, %x: !tilus.ptr<f32>) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %v = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  // CHECK: scf.for
  // CHECK-COUNT-4: tilus.load_global
  // CHECK-NOT: tilus.load_global
  // CHECK: scf.for
  // CHECK: tilus.load_global {{.*}}cache(read_only)
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilus.load_global %v[%i] cache(read_only) : !tilus.global<?xf32> -> tensor<32xf32, #few>
    tilus.print "t", %t : tensor<32xf32, #few>
  }
  // CHECK: scf.for
  // CHECK-COUNT-1: tilus.load_global
  // CHECK-NOT: tilus.load_global
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilus.load_global %v[%i] cache(read_only) : !tilus.global<?xf32> -> tensor<1024xf32, #many>
    tilus.print "t", %t : tensor<1024xf32, #many>
  }
  // CHECK-COUNT-1: tilus.load_global
  // CHECK-NOT: tilus.load_global
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilus.load_global %v[%i] : !tilus.global<?xf32> -> tensor<32xf32, #few>
    tilus.print "t", %t : tensor<32xf32, #few>
  }
  // CHECK-COUNT-1: tilus.load_global
  // CHECK-NOT: tilus.load_global
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilus.load_global %v[%i] cache(read_only) : !tilus.global<?xf32> -> tensor<32xf32, #few>
    %u = tilus.iota dim(0) : tensor<8192xi32, #lots>
    tilus.print "t", %t : tensor<32xf32, #few>
    tilus.print "u", %u : tensor<8192xi32, #lots>
  }
  // A type of few bits may not hold four steps.
  // CHECK-COUNT-1: tilus.load_global
  // CHECK-NOT: tilus.load_global
  // CHECK: scf.for
  %c0_i12 = arith.constant 0 : i12
  %c600_i12 = arith.constant 600 : i12
  %m = arith.trunci %n : i32 to i12
  scf.for %i = %c0_i12 to %m step %c600_i12 : i12 {
    %t = tilus.load_global %v[%c0] cache(read_only) : !tilus.global<?xf32> -> tensor<32xf32, #few>
    tilus.print "t", %t : tensor<32xf32, #few>
  }
  // CHECK-COUNT-1: tilus.load_global
  // CHECK-NOT: {{tilus.load_global|scf.for}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tilus.load_global %v[%i] cache(read_only) : !tilus.global<?xf32> -> tensor<32xf32, #few>
    tilus.print "t", %t : tensor<32xf32, #few>
  } {tilus.unroll = 1 : i32}
}
