// Questions to the target become constants, and only the branches that are taken stay.
// RUN: tilus-opt %s -split-input-file -tilus-attach-target="chip=sm_90a" -tilus-fold-target | FileCheck %s --check-prefixes=CHECK,SM90A
// RUN: tilus-opt %s -split-input-file -tilus-attach-target="chip=sm_90" -tilus-fold-target | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tilus-opt %s -split-input-file -tilus-attach-target="chip=sm_75" -tilus-fold-target | FileCheck %s --check-prefixes=CHECK,SM75
// RUN: tilus-opt %s -split-input-file -tilus-attach-target="chip=sm_75" -tilus-fold-target -tilus-verify-target -o /dev/null
// RUN: not tilus-opt %s -split-input-file -tilus-attach-target="chip=sm_75" -tilus-verify-target 2>&1 | FileCheck %s --check-prefix=UNFOLDED
// RUN: tilus-opt %s -split-input-file -tilus-fold-target | FileCheck %s --check-prefix=NONE

// An instruction that the target lacks may stand in a branch that is not taken.
// UNFOLDED: error: 'tilus.copy_async' op requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75
// CHECK-LABEL: tilus.kernel @guarded
// NONE-LABEL:  tilus.kernel @guarded
// NONE:        tilus.target_supports "cp_async"
// NONE:        scf.if
// CHECK-NOT:   scf.if
// SM90A:       tilus.copy_async %{{.*}}[
// SM90A-NEXT:  tilus.copy_async.wait_all
// SM90A-NOT:   tilus.load_global
// SM90:        tilus.copy_async %{{.*}}[
// SM75-NOT:    tilus.copy_async
// SM75:        tilus.load_global
// SM75-NEXT:   tilus.store_shared
// CHECK:       }
tilus.kernel @guarded(%x: !tilus.ptr<f32>) warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %view = tilus.global_view %x : !tilus.ptr<f32> -> !tilus.global<512xf32>
  %shared = tilus.alloc_shared : !tilus.shared<512xf32>
  %can_copy = tilus.target_supports "cp_async"
  scf.if %can_copy {
    tilus.copy_async %view[%c0], %shared : !tilus.global<512xf32>, !tilus.shared<512xf32>
    tilus.copy_async.wait_all
  } else {
    %tile = tilus.load_global %view[%c0] : !tilus.global<512xf32> -> tensor<512xf32>
    tilus.store_shared %tile, %shared : tensor<512xf32>, !tilus.shared<512xf32>
  }
}

// -----

// Answers fold through arithmetic, through the results of branches, and in the grid.
// CHECK-LABEL: tilus.kernel @folded
// SM90A:       tilus.grid [%c64_i32]
// SM90:        tilus.grid [%c32_i32]
// SM75:        tilus.grid [%c32_i32]
// CHECK-NOT:   scf.if
// SM90A:       %[[MARKER:.*]] = arith.constant dense<901> : tensor<64xi32>
// SM90:        %[[MARKER:.*]] = arith.constant dense<900> : tensor<64xi32>
// SM75:        %[[MARKER:.*]] = arith.constant dense<0> : tensor<64xi32>
// CHECK:       tilus.store_global %[[MARKER]]
tilus.kernel @folded(%x: !tilus.ptr<i32>) warps(1) grid {
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %exact = tilus.target_is "sm_90a"
  %blocks = arith.select %exact, %c64, %c32 : i32
  tilus.grid [%blocks]
} {
  %c0 = arith.constant 0 : i32
  %c900 = arith.constant 900 : i32
  %exact = tilus.target_is "sm_90a"
  %base = tilus.target_supports "sm_90"
  %true = arith.constant true
  %older = arith.xori %base, %true : i1
  %marker = scf.if %older -> (i32) {
    scf.yield %c0 : i32
  } else {
    %digit = arith.extui %exact : i1 to i32
    %sum = arith.addi %c900, %digit : i32
    scf.yield %sum : i32
  }
  %view = tilus.global_view %x : !tilus.ptr<i32> -> !tilus.global<64xi32>
  %tile = tilus.broadcast %marker : i32 -> tensor<64xi32>
  tilus.store_global %tile, %view[%c0] : tensor<64xi32>, !tilus.global<64xi32>
}

// -----

// What does not depend on the target stays as it is written, also where it could be folded.
// CHECK-LABEL: tilus.kernel @unrelated
// CHECK:       %[[TRUE:.*]] = arith.constant true
// CHECK:       arith.constant 7 : i32
// CHECK-NOT:   tilus.target_is
// CHECK:       scf.if %[[TRUE]] {
// CHECK-NEXT:    tilus.sync
tilus.kernel @unrelated(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %true = arith.constant true
  %unused = arith.constant 7 : i32
  %is = tilus.target_is "sm_80"
  scf.if %is {
    tilus.exit
  }
  scf.if %true {
    tilus.sync
  }
}
