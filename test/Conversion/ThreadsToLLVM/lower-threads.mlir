// RUN: tilus-opt %s --split-input-file --verify-diagnostics \
// RUN:   --pass-pipeline='builtin.module(gpu.module(tilus-lower-threads,reconcile-unrealized-casts))' | FileCheck %s

// Loops that follow one another, one in another, and a branch: blocks stand in the order of the text.
gpu.module @control {
  // CHECK-LABEL: llvm.func @control
  // CHECK: llvm.br ^[[FIRST:.*]](%{{.*}}, %[[INIT:.*]] : i32, i32)
  // CHECK: ^[[FIRST]](%{{.*}}: i32, %[[SUM:.*]]: i32)
  // CHECK: llvm.cond_br %{{.*}}, ^[[BODY:.*]], ^[[BETWEEN:.*]]
  // CHECK: ^[[BODY]]:
  // CHECK: llvm.add %[[SUM]]
  // CHECK: llvm.br ^[[FIRST]]
  // CHECK: ^[[BETWEEN]]:
  // CHECK: llvm.mul %[[SUM]]
  // CHECK: llvm.br ^[[OUTER:.*]](
  // CHECK: ^[[OUTER]](
  // CHECK: llvm.br ^[[INNER:.*]](
  // CHECK: ^[[INNER]](
  // CHECK: llvm.cond_br %{{.*}}, ^[[THEN:.*]], ^
  // CHECK: ^[[THEN]]:
  // CHECK: llvm.store
  // CHECK: llvm.return
  llvm.func @control(%n: i32, %p: !llvm.ptr<1>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%old = %c1) -> (i32) : i32 {
      %new = arith.addi %old, %i : i32
      scf.yield %new : i32
    }
    %square = arith.muli %sum, %sum : i32
    scf.for %i = %c0 to %n step %c1 : i32 {
      scf.for %j = %c0 to %i step %c1 : i32 {
        %isOdd = arith.cmpi eq, %j, %square : i32
        scf.if %isOdd {
          llvm.store %j, %p : i32, !llvm.ptr<1>
        }
      }
    }
    llvm.return
  }
}

// -----

// Branches in both parts of a loop of unknown length.
gpu.module @while {
  // CHECK-LABEL: llvm.func @while
  // CHECK: llvm.br ^[[BEFORE:.*]](%{{.*}} : i32)
  // CHECK: ^[[BEFORE]](%[[VALUE:.*]]: i32)
  // CHECK: llvm.cond_br %{{.*}}, ^[[BELOW:.*]], ^
  // CHECK: ^[[BELOW]]:
  // CHECK: llvm.cond_br %{{.*}}, ^[[AFTER:bb[0-9]+]]{{.*}}, ^[[END:.*]]
  // CHECK: ^[[AFTER]](
  // CHECK: llvm.cond_br
  // CHECK: llvm.br ^[[BEFORE]](
  // CHECK: ^[[END]]:
  // CHECK-NEXT: llvm.return
  llvm.func @while(%n: i32, %p: !llvm.ptr<1>) {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %end = scf.while (%value = %c0) : (i32) -> i32 {
      %isBelow = arith.cmpi slt, %value, %n : i32
      %step = scf.if %isBelow -> (i32) {
        scf.yield %c1 : i32
      } else {
        llvm.store %value, %p : i32, !llvm.ptr<1>
        scf.yield %c0 : i32
      }
      %next = arith.addi %value, %step : i32
      scf.condition(%isBelow) %next : i32
    } do {
    ^bb0(%value: i32):
      %isOdd = arith.cmpi eq, %value, %n : i32
      scf.if %isOdd {
        llvm.store %value, %p : i32, !llvm.ptr<1>
      }
      scf.yield %value : i32
    }
    llvm.return
  }
}

// -----

// A parallel loop becomes loops first.
gpu.module @parallel {
  // CHECK-LABEL: llvm.func @parallel
  // CHECK: llvm.cond_br
  // CHECK-NOT: scf
  llvm.func @parallel(%n: i32, %p: !llvm.ptr<1>) {
    %end = arith.index_cast %n : i32 to index
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %zero = llvm.mlir.constant(0 : i32) : i32
    scf.parallel (%i) = (%c0) to (%end) step (%c1) {
      llvm.store %zero, %p : i32, !llvm.ptr<1>
    }
    llvm.return
  }
}

// -----

// What has no function of libdevice is an op of LLVM; ops of gpu are those of NVVM, also those made of others.
gpu.module @functions {
  // CHECK: llvm.func @__nv_expf(f32) -> f32
  // CHECK-LABEL: llvm.func @functions
  llvm.func @functions(%x: f32, %n: i32, %p: !llvm.ptr<1>) {
    // CHECK: llvm.call @__nv_expf
    %exp = math.exp %x : f32
    // CHECK: llvm.intr.ctlz
    %zeros = math.ctlz %n : i32
    // CHECK-DAG: nvvm.read.ptx.sreg.ctaid.x
    // CHECK-DAG: nvvm.read.ptx.sreg.ntid.x
    // CHECK-DAG: nvvm.read.ptx.sreg.tid.x
    // CHECK-NOT: gpu.global_id
    %thread = gpu.global_id x
    %number = arith.index_cast %thread : index to i32
    %sum = arith.addi %number, %zeros : i32
    llvm.store %sum, %p : i32, !llvm.ptr<1>
    llvm.store %exp, %p : f32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// What no pattern lowers is named.
gpu.module @unknown {
  llvm.func @unknown() {
    // expected-error@+1 {{failed to legalize operation 'gpu.wait'}}
    gpu.wait
    llvm.return
  }
}
