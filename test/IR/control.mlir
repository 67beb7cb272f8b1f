// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Kernels, thread groups and the block's place, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The names of the parameters survive both forms; the end of the body is implied.
// CHECK-LABEL: tilus.kernel @params(%n: i32 {tilus.divisibility = 8 : i64}, %s: f16, %x: !tilus.ptr<f16>) warps(4) grid {
// CHECK-NEXT:    tilus.grid [%n]
// CHECK-NEXT:  } {
// CHECK-NEXT:  }
// GENERIC:      "tilus.kernel"() <{arg_attrs = [{tilus.divisibility = 8 : i64}, {}, {}], function_type = (i32, f16, !tilus.ptr<f16>) -> (), param_names = ["n", "s", "x"], sym_name = "params", warps = 4 : i32}> ({
// GENERIC-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: f16, %{{.*}}: !tilus.ptr<f16>):
// GENERIC-NEXT:   "tilus.grid"(%{{.*}}) : (i32) -> ()
// GENERIC-NEXT: }, {
// GENERIC-NEXT: ^bb0(%{{.*}}: i32, %{{.*}}: f16, %{{.*}}: !tilus.ptr<f16>):
// GENERIC-NEXT:   "tilus.return"() : () -> ()
// GENERIC-NEXT: })
tilus.kernel @params(%n: i32 {tilus.divisibility = 8 : i64}, %s: f16, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%n]
} {
}

// Numbered parameters have no names worth keeping.
// CHECK-LABEL: tilus.kernel @numbered(%arg0: i32, %arg1: index) warps(1) cluster(2, 1, 1) attributes {note = "x"} grid {
// CHECK-NEXT:    tilus.grid [%arg0, %arg0, %arg1 : index]
// GENERIC:     "tilus.kernel"() <{cluster = array<i32: 2, 1, 1>, function_type = (i32, index) -> (), sym_name = "numbered", warps = 1 : i32}>
// GENERIC:     "tilus.grid"(%{{.*}}, %{{.*}}, %{{.*}}) : (i32, i32, index) -> ()
// GENERIC:     {note = "x"}
tilus.kernel @numbered(%0: i32, %1: index) warps(1) cluster(2, 1, 1) attributes {note = "x"} grid {
  tilus.grid [%0, %0, %1 : index]
} {
}

// The host's arithmetic stands in the grid region; both regions may use the same names.
// CHECK-LABEL: tilus.kernel @grid(%m: i64) warps(32) grid {
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %m, %{{.*}} : i64
// CHECK:         tilus.grid [%[[BLOCKS]] : i64]
tilus.kernel @grid(%m: i64) warps(32) grid {
  %c128 = arith.constant 128 : i64
  %blocks = arith.ceildivsi %m, %c128 : i64
  tilus.grid [%blocks : i64]
} {
  %c128 = arith.constant 128 : i64
}

// CHECK-LABEL: tilus.kernel @place(
// CHECK:         %{{.*}} = tilus.block_id x{{$}}
// CHECK:         %{{.*}} = tilus.block_id z
// CHECK:         %{{.*}} = tilus.grid_dim y
// CHECK:         tilus.assume %stop
// CHECK:         scf.if %stop {
// CHECK-NEXT:      tilus.exit
// CHECK-NEXT:    }
// GENERIC:       "tilus.block_id"() <{axis = 0 : i32}> : () -> i32
// GENERIC:       "tilus.block_id"() <{axis = 2 : i32}> : () -> i32
// GENERIC:       "tilus.grid_dim"() <{axis = 1 : i32}> : () -> i32
// GENERIC:       "tilus.assume"(%{{.*}}) : (i1) -> ()
// GENERIC:       "tilus.exit"() : () -> ()
tilus.kernel @place(%stop: i1) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %x = tilus.block_id x
  %z = tilus.block_id z
  %y = tilus.grid_dim y
  tilus.assume %stop
  scf.if %stop {
    tilus.exit
  }
  tilus.return
}

// CHECK-LABEL: tilus.kernel @groups(
// CHECK:         tilus.thread_group begin(64) threads(64) {
// CHECK-NEXT:      tilus.thread_group threads(1) {
// CHECK-NEXT:        tilus.sync
// CHECK-NEXT:      }
// CHECK-NEXT:    } {note = 1 : i32}
// GENERIC:       "tilus.thread_group"() <{begin = 64 : i32, threads = 64 : i32}> ({
// GENERIC-NEXT:    "tilus.thread_group"() <{threads = 1 : i32}> ({
// GENERIC-NEXT:      "tilus.sync"() : () -> ()
// GENERIC-NEXT:      "tilus.return"() : () -> ()
tilus.kernel @groups() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  tilus.thread_group begin(64) threads(64) {
    tilus.thread_group threads(1) {
      tilus.sync
    }
  } {note = 1 : i32}
}

// What is asked of the target has an answer in code and in the grid.
// CHECK-LABEL: tilus.kernel @target(
// CHECK:         tilus.target_is "sm_90a"
// CHECK:         tilus.target_supports "tma"
// CHECK:         tilus.target_supports "sm_100f"
// GENERIC:       "tilus.target_is"() <{name = "sm_90a"}> : () -> i1
// GENERIC:       "tilus.target_supports"() <{name = "tma"}> : () -> i1
tilus.kernel @target(%n: i32, %m: i32) warps(1) grid {
  %hopper = tilus.target_is "sm_90a"
  %blocks = arith.select %hopper, %n, %m : i32
  tilus.grid [%blocks]
} {
  %tma = tilus.target_supports "tma"
  %family = tilus.target_supports "sm_100f"
}
