// RUN: tilus-opt %s --split-input-file --tilus-infer-layouts --tilus-select-atoms --tilus-plan-shared-memory --tilus-insert-fences | FileCheck %s

// A ring of three stages: the stage written two trips ahead is none of those read since the barrier, also across the
// back edge and from before the loop; its one barrier is enough.
// CHECK-LABEL: tilus.kernel @ring
// CHECK-COUNT-1: tilus.sync
// CHECK: scf.for
// CHECK-COUNT-1: tilus.sync
// CHECK-NOT: tilus.sync
tilus.kernel @ring(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c100 = arith.constant 100 : i32
  %t = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<3x128xi32>
  %a0 = tilus.slice_shared %a[%c0] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
  %a1 = tilus.slice_shared %a[%c1] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
  tilus.store_shared %t, %a0 : tensor<128xi32>, !tilus.shared<128xi32>
  tilus.store_shared %t, %a1 : tensor<128xi32>, !tilus.shared<128xi32>
  tilus.sync
  %first = tilus.load_shared %a0 : !tilus.shared<128xi32> -> tensor<128xi32>
  %sum = scf.for %i = %c0 to %c100 step %c1 iter_args(%acc = %first) -> (tensor<128xi32>) : i32 {
    %ahead = arith.addi %i, %c2 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %sf = tilus.slice_shared %a[%free] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
    tilus.store_shared %acc, %sf : tensor<128xi32>, !tilus.shared<128xi32>
    tilus.sync
    %next = arith.addi %i, %c1 : i32
    %stage = arith.remsi %next, %c3 : i32
    %ss = tilus.slice_shared %a[%stage] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
    %u = tilus.load_shared %ss : !tilus.shared<128xi32> -> tensor<128xi32>
    %new = arith.addi %acc, %u : tensor<128xi32>
    scf.yield %new : tensor<128xi32>
  }
}

// -----

// Two stages are too few: the stage written is the one that the trip before has read.
// CHECK-LABEL: tilus.kernel @short_ring
// CHECK: scf.for
// CHECK-COUNT-2: tilus.sync
// CHECK-NOT: tilus.sync
tilus.kernel @short_ring(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c100 = arith.constant 100 : i32
  %t = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<2x128xi32>
  scf.for %i = %c0 to %c100 step %c1 : i32 {
    %free = arith.remsi %i, %c2 : i32
    %sf = tilus.slice_shared %a[%free] dims [0] : !tilus.shared<2x128xi32> -> !tilus.shared<128xi32>
    tilus.store_shared %t, %sf : tensor<128xi32>, !tilus.shared<128xi32>
    tilus.sync
    %next = arith.addi %i, %c1 : i32
    %stage = arith.remsi %next, %c2 : i32
    %ss = tilus.slice_shared %a[%stage] dims [0] : !tilus.shared<2x128xi32> -> !tilus.shared<128xi32>
    %u = tilus.load_shared %ss : !tilus.shared<128xi32> -> tensor<128xi32>
  }
}

// -----

// A sum that may wrap around proves nothing: 2^32 is no multiple of three.
// CHECK-LABEL: tilus.kernel @wrapping_ring
// CHECK: scf.for
// CHECK: tilus.sync
// CHECK-NEXT: tilus.store_shared
tilus.kernel @wrapping_ring(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %t = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<3x128xi32>
  scf.for %i = %c0 to %m step %c1 : i32 {
    %ahead = arith.addi %i, %c2 : i32
    %stage = arith.remsi %i, %c3 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %ss = tilus.slice_shared %a[%stage] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
    %u = tilus.load_shared %ss : !tilus.shared<128xi32> -> tensor<128xi32>
    %sf = tilus.slice_shared %a[%free] dims [0] : !tilus.shared<3x128xi32> -> !tilus.shared<128xi32>
    tilus.store_shared %t, %sf : tensor<128xi32>, !tilus.shared<128xi32>
    tilus.sync
  }
}

// -----

// A layout under which different indices of the ring share bytes proves nothing either.
// CHECK-LABEL: tilus.kernel @overlapping_ring
// CHECK: scf.for
// CHECK: tilus.sync
// CHECK-NEXT: tilus.store_shared
tilus.kernel @overlapping_ring(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c100 = arith.constant 100 : i32
  %t = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<3x128xi32, #tilus.smem<shape = [3, 128], modes = [3, 128], strides = [64, 1]>>
  scf.for %i = %c0 to %c100 step %c1 : i32 {
    %ahead = arith.addi %i, %c2 : i32
    %stage = arith.remsi %i, %c3 : i32
    %free = arith.remsi %ahead, %c3 : i32
    %ss = tilus.slice_shared %a[%stage] dims [0] : !tilus.shared<3x128xi32, #tilus.smem<shape = [3, 128], modes = [3, 128], strides = [64, 1]>> -> !tilus.shared<128xi32>
    %u = tilus.load_shared %ss : !tilus.shared<128xi32> -> tensor<128xi32>
    %sf = tilus.slice_shared %a[%free] dims [0] : !tilus.shared<3x128xi32, #tilus.smem<shape = [3, 128], modes = [3, 128], strides = [64, 1]>> -> !tilus.shared<128xi32>
    tilus.store_shared %t, %sf : tensor<128xi32>, !tilus.shared<128xi32>
    tilus.sync
  }
}
