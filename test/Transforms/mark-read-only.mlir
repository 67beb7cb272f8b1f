// Loads that no store of the kernel can change, and which are over before the next barrier, may be moved up.
// RUN: tilus-opt %s --split-input-file --tilus-mark-read-only | FileCheck %s

// The store behind the loop is made when all rounds are over. A tile may change its type on its way.
// CHECK-LABEL: tilus.kernel @marked
tilus.kernel @marked(%n: i32, %x: !tilus.ptr<f16>, %y: !tilus.ptr<f32>) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?xf16>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %s = tilus.alloc_shared : !tilus.shared<32xf32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  // CHECK: tilus.load_global %{{.+}}[%{{.+}}] cache(read_only)
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%a = %zero) -> (tensor<32xf32>) : i32 {
    %t = tilus.load_global %gx[%i] : !tilus.global<?xf16> -> tensor<32xf16>
    %u = tilus.cast %t : tensor<32xf16> -> tensor<32xf32>
    tilus.store_shared %u, %s : tensor<32xf32>, !tilus.shared<32xf32>
    tilus.sync
    %v = tilus.load_shared %s : !tilus.shared<32xf32> -> tensor<32xf32>
    tilus.sync
    %b = arith.addf %a, %v : tensor<32xf32>
    scf.yield %b : tensor<32xf32>
  }
  tilus.store_global %sum, %gy[%c0] : tensor<32xf32>, !tilus.global<?xf32>
}

// -----

// What a round stores, the next one may load; a hint that was chosen stays.
// CHECK-LABEL: tilus.kernel @written
// CHECK:     tilus.load_global %{{.+}}[%{{.+}}] cache(streaming)
// CHECK-NOT: read_only
tilus.kernel @written(%n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %s = tilus.alloc_shared : !tilus.shared<32xf32>
  %first = tilus.load_global %gx[%c0] cache(streaming) : !tilus.global<?xf32> -> tensor<32xf32>
  tilus.store_shared %first, %s : tensor<32xf32>, !tilus.shared<32xf32>
  scf.for %i = %c0 to %n step %c32 : i32 {
    %t = tilus.load_global %gx[%i] : !tilus.global<?xf32> -> tensor<32xf32>
    tilus.store_shared %t, %s : tensor<32xf32>, !tilus.shared<32xf32>
    tilus.sync
    %u = tilus.load_shared %s : !tilus.shared<32xf32> -> tensor<32xf32>
    tilus.store_global %u, %gy[%i] : tensor<32xf32>, !tilus.global<?xf32>
  }
  %last = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<32xf32>
  tilus.store_shared %last, %s : tensor<32xf32>, !tilus.shared<32xf32>
}

// -----

// A barrier stands between the load and its store, or the tile is needed elsewhere, or never stored to shared memory:
// the load could come behind a barrier and what another thread stores behind that.
// CHECK-LABEL: tilus.kernel @late
// CHECK-NOT: read_only
tilus.kernel @late(%n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(2) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %s = tilus.alloc_shared : !tilus.shared<64xf32>
  %r = tilus.alloc_shared : !tilus.shared<64xf32>
  %a = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<64xf32>
  %b = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<64xf32>
  %c = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<64xf32>
  tilus.store_shared %b, %s : tensor<64xf32>, !tilus.shared<64xf32>
  tilus.sync
  tilus.store_shared %a, %r : tensor<64xf32>, !tilus.shared<64xf32>
  tilus.store_global %b, %gy[%c0] : tensor<64xf32>, !tilus.global<?xf32>
  tilus.store_global %c, %gy[%c0] : tensor<64xf32>, !tilus.global<?xf32>
}

// -----

// Groups run at the same time: the second one's store may come first.
// CHECK-LABEL: tilus.kernel @groups
// CHECK-NOT: read_only
tilus.kernel @groups(%n: i32, %x: !tilus.ptr<f32>, %y: !tilus.ptr<f32>) warps(2) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %s = tilus.alloc_shared : !tilus.shared<32xf32>
  %i = tilus.iota dim(0) : tensor<32xi32>
  tilus.thread_group begin(0) threads(32) {
    %t = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<32xf32>
    tilus.store_shared %t, %s : tensor<32xf32>, !tilus.shared<32xf32>
  }
  tilus.thread_group begin(32) threads(32) {
    %zero = arith.constant dense<0.0> : tensor<32xf32>
    tilus.store_global %zero, %gy[%c0] : tensor<32xf32>, !tilus.global<?xf32>
  }
}

// -----

// The store to global memory may be to what was loaded.
// CHECK-LABEL: tilus.kernel @cleared
// CHECK-NOT: read_only
tilus.kernel @cleared(%n: i32, %x: !tilus.ptr<f32>) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %gx = tilus.global_view %x [%n] : !tilus.ptr<f32> -> !tilus.global<?xf32>
  %s = tilus.alloc_shared : !tilus.shared<32xf32>
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %t = tilus.load_global %gx[%c0] : !tilus.global<?xf32> -> tensor<32xf32>
  tilus.store_global %zero, %gx[%c0] : tensor<32xf32>, !tilus.global<?xf32>
  tilus.store_shared %t, %s : tensor<32xf32>, !tilus.shared<32xf32>
}
