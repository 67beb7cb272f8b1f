// RUN: tilus-opt %s --split-input-file --tilus-infer-layouts --tilus-select-atoms --tilus-plan-shared-memory --tilus-insert-fences | FileCheck %s

// A read after a write needs a barrier, as late as possible; a second read does not.
// CHECK-LABEL: tilus.kernel @read_after_write
// CHECK: tilus.store_shared
// CHECK-NEXT: arith.constant 7
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.load_shared
// CHECK-NEXT: tilus.load_shared
// CHECK-NOT: tilus.sync
tilus.kernel @read_after_write(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  %c7 = arith.constant 7 : i32
  %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
  %u = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
}

// -----

// A barrier that is there is enough; slices at different constants are apart; atomics do not disturb each other.
// CHECK-LABEL: tilus.kernel @enough
// CHECK-COUNT-1: tilus.sync
// CHECK-NOT: tilus.sync
tilus.kernel @enough(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<2x128xi32>
  %a0 = tilus.slice_shared %a[%c0] dims [0] : !tilus.shared<2x128xi32> -> !tilus.shared<128xi32>
  %a1 = tilus.slice_shared %a[%c1] dims [0] : !tilus.shared<2x128xi32> -> !tilus.shared<128xi32>
  tilus.store_shared %i, %a0 : tensor<128xi32>, !tilus.shared<128xi32>
  tilus.sync
  %t = tilus.load_shared %a0 : !tilus.shared<128xi32> -> tensor<128xi32>
  tilus.atomic add, %a1, %t : !tilus.shared<128xi32>, tensor<128xi32>
  tilus.atomic add, %a1, %i : !tilus.shared<128xi32>, tensor<128xi32>
}

// -----

// The write of the next trip waits for the reads of this one.
// CHECK-LABEL: tilus.kernel @back_edge
// CHECK: scf.for
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.store_shared
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.load_shared
// CHECK-NOT: tilus.sync
tilus.kernel @back_edge(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  scf.for %k = %c0 to %m step %c1 : i32 {
    tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
    %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
  }
}

// -----

// A pipeline with its own waits and barriers gets no more: the copy in flight is of another stage.
// CHECK-LABEL: tilus.kernel @pipeline
// CHECK-COUNT-2: tilus.copy_async.commit_group
// CHECK: scf.for
// CHECK-COUNT-1: tilus.sync
// CHECK-NOT: tilus.sync
tilus.kernel @pipeline(%m: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
  %s = tilus.alloc_shared : !tilus.shared<3x16x64xf16>
  %s0 = tilus.slice_shared %s[%c0] dims [0] : !tilus.shared<3x16x64xf16> -> !tilus.shared<16x64xf16>
  %s1 = tilus.slice_shared %s[%c1] dims [0] : !tilus.shared<3x16x64xf16> -> !tilus.shared<16x64xf16>
  tilus.copy_async %g[%c0, %c0], %s0 : !tilus.global<?x64xf16>, !tilus.shared<16x64xf16>
  tilus.copy_async.commit_group
  tilus.copy_async %g[%c1, %c0], %s1 : !tilus.global<?x64xf16>, !tilus.shared<16x64xf16>
  tilus.copy_async.commit_group
  scf.for %k = %c0 to %m step %c1 : i32 {
    tilus.copy_async.wait_group 1
    tilus.sync
    %k2 = arith.addi %k, %c2 : i32
    %next = arith.remsi %k2, %c3 : i32
    %now = arith.remsi %k, %c3 : i32
    %sn = tilus.slice_shared %s[%next] dims [0] : !tilus.shared<3x16x64xf16> -> !tilus.shared<16x64xf16>
    tilus.copy_async %g[%k2, %c0], %sn : !tilus.global<?x64xf16>, !tilus.shared<16x64xf16>
    tilus.copy_async.commit_group
    %sk = tilus.slice_shared %s[%now] dims [0] : !tilus.shared<3x16x64xf16> -> !tilus.shared<16x64xf16>
    %t = tilus.load_shared %sk : !tilus.shared<16x64xf16> -> tensor<16x64xf16>
    tilus.print "t", %t : tensor<16x64xf16>
  }
}

// -----

// After a wait, what other threads copied is seen behind a barrier.
// CHECK-LABEL: tilus.kernel @wait
// CHECK: tilus.copy_async.wait_all
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.load_shared
tilus.kernel @wait(%m: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
  %s = tilus.alloc_shared : !tilus.shared<16x64xf16>
  tilus.copy_async %g[%c0, %c0], %s : !tilus.global<?x64xf16>, !tilus.shared<16x64xf16>
  tilus.copy_async.wait_all
  %t = tilus.load_shared %s : !tilus.shared<16x64xf16> -> tensor<16x64xf16>
}

// -----

// What one thread group wrote is read by another behind a barrier of the threads around both. A group's own barrier
// orders its own threads alone.
// CHECK-LABEL: tilus.kernel @groups
// CHECK: tilus.thread_group begin(0)
// CHECK: tilus.store_shared
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.load_shared
// CHECK: }
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.thread_group begin(64)
// CHECK-NEXT: tilus.load_shared
tilus.kernel @groups(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  tilus.thread_group begin(0) threads(64) {
    %i = tilus.iota dim(0) : tensor<128xi32>
    tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
    %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
  }
  tilus.thread_group begin(64) threads(64) {
    %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
  }
}

// -----

// Scratch that is used again, and tiles that overlap it, are ordered.
// CHECK-LABEL: tilus.kernel @scratch
// CHECK: tilus.reduce
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.reduce
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.store_shared
tilus.kernel @scratch(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<4096xi32>
  %j = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  %r = tilus.reduce add, %i dim(0) : tensor<4096xi32> -> tensor<i32>
  %q = tilus.reduce max, %i dim(0) : tensor<4096xi32> -> tensor<i32>
  tilus.store_shared %j, %a : tensor<128xi32>, !tilus.shared<128xi32>
}

// -----

// A branch without an else may leave what was before it unordered.
// CHECK-LABEL: tilus.kernel @branch
// CHECK: tilus.store_shared
// CHECK-NEXT: scf.if
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: }
// CHECK-NEXT: tilus.sync
// CHECK-NEXT: tilus.load_shared
tilus.kernel @branch(%m: i32, %ok: i1) warps(4) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  scf.if %ok {
    tilus.sync
  }
  %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
}
