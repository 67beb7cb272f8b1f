// RUN: tilus-opt %s --split-input-file --tilus-infer-layouts --tilus-select-atoms --tilus-plan-shared-memory --tilus-verify-phase=phase=memory | FileCheck %s

// Tiles that are never live together overlap; those that are do not.
// CHECK-LABEL: tilus.kernel @overlap
// CHECK-SAME: tilus.shared_bytes = 1024
// CHECK: tilus.alloc_shared offset(0)
// CHECK: tilus.alloc_shared offset(512)
// CHECK: tilus.alloc_shared offset(0)
tilus.kernel @overlap(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  %b = tilus.alloc_shared : !tilus.shared<128xi32>
  %c = tilus.alloc_shared : !tilus.shared<128xi32>
  tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  tilus.store_shared %i, %b : tensor<128xi32>, !tilus.shared<128xi32>
  %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
  tilus.store_shared %t, %c : tensor<128xi32>, !tilus.shared<128xi32>
  %u = tilus.load_shared %b : !tilus.shared<128xi32> -> tensor<128xi32>
  %v = tilus.load_shared %c : !tilus.shared<128xi32> -> tensor<128xi32>
  tilus.print "v", %v : tensor<128xi32>
}

// -----

// A tile from outside a loop lives through all of it; one made in the loop lives within a trip. Branches exclude each
// other.
// CHECK-LABEL: tilus.kernel @loop
// CHECK-SAME: tilus.shared_bytes = 1024
// CHECK: tilus.alloc_shared offset(0)
// CHECK: scf.for
// CHECK: tilus.alloc_shared offset(512)
// CHECK: scf.if
// CHECK: tilus.alloc_shared offset(512)
// CHECK: else
// CHECK: tilus.alloc_shared offset(512)
tilus.kernel @loop(%m: i32, %ok: i1) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tilus.iota dim(0) : tensor<128xi32>
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  scf.for %k = %c0 to %m step %c1 : i32 {
    %t = tilus.load_shared %a : !tilus.shared<128xi32> -> tensor<128xi32>
    %b = tilus.alloc_shared : !tilus.shared<128xi32>
    tilus.store_shared %i, %b : tensor<128xi32>, !tilus.shared<128xi32>
    scf.if %ok {
      %c = tilus.alloc_shared : !tilus.shared<128xi32>
      tilus.store_shared %i, %c : tensor<128xi32>, !tilus.shared<128xi32>
    } else {
      %c = tilus.alloc_shared : !tilus.shared<128xi32>
      tilus.store_shared %i, %c : tensor<128xi32>, !tilus.shared<128xi32>
    }
    tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  }
}

// -----

// Thread groups that may run at the same time share nothing, up to the barrier of the threads around them.
// CHECK-LABEL: tilus.kernel @groups
// CHECK-SAME: tilus.shared_bytes = 1024
// CHECK: tilus.alloc_shared offset(0)
// CHECK: tilus.alloc_shared offset(512)
// CHECK: tilus.alloc_shared offset(0)
tilus.kernel @groups(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %a = tilus.alloc_shared : !tilus.shared<128xi32>
  %b = tilus.alloc_shared : !tilus.shared<128xi32>
  %c = tilus.alloc_shared : !tilus.shared<128xi32>
  tilus.thread_group begin(0) threads(64) {
    %i = tilus.iota dim(0) : tensor<128xi32>
    tilus.store_shared %i, %a : tensor<128xi32>, !tilus.shared<128xi32>
  }
  tilus.thread_group begin(64) threads(64) {
    %i = tilus.iota dim(0) : tensor<128xi32>
    tilus.store_shared %i, %b : tensor<128xi32>, !tilus.shared<128xi32>
  }
  tilus.sync
  %i = tilus.iota dim(0) : tensor<128xi32>
  tilus.store_shared %i, %c : tensor<128xi32>, !tilus.shared<128xi32>
}

// -----

// The destination of an asynchronous copy lives until all copies have been waited for. Scratch overlaps what is dead;
// a swizzled tile is aligned to the swizzle's period.
// CHECK-LABEL: tilus.kernel @scratch
// CHECK: tilus.alloc_shared offset(0) : !tilus.shared<16x64xf16, {{.*}} swizzle = [3, 3, 3]>>
// CHECK: tilus.reduce {{.*}}tilus.scratch_offset = [[FIRST:[0-9]+]]
// CHECK: tilus.copy_async.wait_all
// CHECK: tilus.reduce {{.*}}tilus.scratch_offset = 0
tilus.kernel @scratch(%m: i32, %x: !tilus.ptr<f16>) warps(4) grid {
  tilus.grid [%m]
} {
  %c0 = arith.constant 0 : i32
  %g = tilus.global_view %x [%m] : !tilus.ptr<f16> -> !tilus.global<?x64xf16>
  %s = tilus.alloc_shared : !tilus.shared<16x64xf16>
  %i = tilus.iota dim(0) : tensor<4096xi32>
  tilus.copy_async %g[%c0, %c0], %s : !tilus.global<?x64xf16>, !tilus.shared<16x64xf16>
  %r = tilus.reduce add, %i dim(0) : tensor<4096xi32> -> tensor<i32>
  tilus.copy_async.wait_all
  %q = tilus.reduce max, %i dim(0) : tensor<4096xi32> -> tensor<i32>
  tilus.print "r", %r : tensor<i32>
  tilus.print "q", %q : tensor<i32>
}

// -----

// A place that is asked for is kept, and others go around it.
// CHECK-LABEL: tilus.kernel @pinned
// CHECK-SAME: tilus.shared_bytes = 2560
// CHECK: tilus.alloc_shared offset(0) : !tilus.shared<256xi32
// CHECK: tilus.alloc_shared offset(2048) : !tilus.shared<128xi32
// CHECK: tilus.alloc_shared offset(1024) : !tilus.shared<128xi32
tilus.kernel @pinned(%m: i32) warps(4) grid {
  tilus.grid [%m]
} {
  %a = tilus.alloc_shared : !tilus.shared<256xi32>
  %b = tilus.alloc_shared offset(2048) : !tilus.shared<128xi32>
  %c = tilus.alloc_shared : !tilus.shared<128xi32>
  %t = tilus.load_shared %a : !tilus.shared<256xi32> -> tensor<256xi32>
  %u = tilus.load_shared %b : !tilus.shared<128xi32> -> tensor<128xi32>
  %v = tilus.load_shared %c : !tilus.shared<128xi32> -> tensor<128xi32>
  %w = tilus.load_shared %a : !tilus.shared<256xi32> -> tensor<256xi32>
  %x = tilus.load_shared %b : !tilus.shared<128xi32> -> tensor<128xi32>
}
