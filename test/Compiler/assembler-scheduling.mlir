// A wait for all copies stays behind the products before it: the block ends there. Others are left alone.
// RUN: rm -rf %t && tilus-run %s --target sm_80 --device none --emit ptx=%t
// RUN: FileCheck %s --input-file %t/overlapped.sm_80.ptx
// RUN: FileCheck %s --input-file %t/twice.sm_80.ptx --check-prefix=TWICE
// RUN: FileCheck %s --input-file %t/pipelined.sm_80.ptx --check-prefix=PIPELINED

// CHECK-LABEL: .entry overlapped(
// CHECK: cp.async.cg.shared.global.L2::128B
// CHECK: cp.async.wait_group 0;
// CHECK: mov.u32 %[[BYTES:r[0-9]+]], %dynamic_smem_size;
// CHECK: setp.ne.b32 %[[EVER:p[0-9]+]], %[[BYTES]], -1;
// CHECK: mma.sync
// CHECK-NOT: cp.async.wait
// CHECK: @%[[EVER]] bra
// CHECK: cp.async.wait_group 0;
// CHECK: bar.sync
// PIPELINED: .entry pipelined(
// PIPELINED-NOT: dynamic_smem_size
// TWICE: mma.sync
// TWICE: @%p{{[0-9]+}} bra
// TWICE: cp.async.wait_group 0;
// TWICE: mma.sync
// TWICE: @%p{{[0-9]+}} bra
// TWICE: cp.async.wait_group 0;
module {
  tilus.kernel @overlapped(%n: i32, %x: !tilus.ptr<f16> {tilus.divisibility = 16 : i64}, %y: !tilus.ptr<f32>) warps(1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %gx = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?x16xf16>
    %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?x16xf32>
    %a = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %b = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    tilus.copy_async %gx[%c0, %c0], %a : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
    tilus.copy_async.commit_group
    tilus.copy_async.wait_group 0
    tilus.sync
    %sum = scf.for %i = %c16 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      tilus.copy_async %gx[%i, %c0], %b : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
      tilus.copy_async.commit_group
      %t = tilus.load_shared %a : !tilus.shared<16x16xf16> -> tensor<16x16xf16>
      %p = tilus.mma %t, %t, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      tilus.copy_async.wait_group 0
      tilus.sync
      scf.yield %p : tensor<16x16xf32>
    }
    tilus.store_global %sum, %gy[%c0, %c0] : tensor<16x16xf32>, !tilus.global<?x16xf32>
  }
  tilus.kernel @pipelined(%n: i32, %x: !tilus.ptr<f16> {tilus.divisibility = 16 : i64}, %y: !tilus.ptr<f32>) warps(1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %gx = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?x16xf16>
    %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?x16xf32>
    %a = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %b = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    tilus.copy_async %gx[%c0, %c0], %a : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
    tilus.copy_async.commit_group
    tilus.copy_async.wait_group 0
    tilus.sync
    %sum = scf.for %i = %c16 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      tilus.copy_async %gx[%i, %c0], %b : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
      tilus.copy_async.commit_group
      %t = tilus.load_shared %a : !tilus.shared<16x16xf16> -> tensor<16x16xf16>
      %p = tilus.mma %t, %t, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      tilus.copy_async.wait_group 1
      tilus.sync
      scf.yield %p : tensor<16x16xf32>
    }
    tilus.store_global %sum, %gy[%c0, %c0] : tensor<16x16xf32>, !tilus.global<?x16xf32>
  }
  tilus.kernel @twice(%n: i32, %x: !tilus.ptr<f16> {tilus.divisibility = 16 : i64}, %y: !tilus.ptr<f32>) warps(1) grid {
    %c1 = arith.constant 1 : i32
    tilus.grid [%c1]
  } {
    %c0 = arith.constant 0 : i32
    %c16 = arith.constant 16 : i32
    %gx = tilus.global_view %x [%n] : !tilus.ptr<f16> -> !tilus.global<?x16xf16>
    %gy = tilus.global_view %y [%n] : !tilus.ptr<f32> -> !tilus.global<?x16xf32>
    %a = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %b = tilus.alloc_shared : !tilus.shared<16x16xf16>
    %zero = arith.constant dense<0.0> : tensor<16x16xf32>
    tilus.copy_async %gx[%c0, %c0], %a : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
    tilus.copy_async.commit_group
    tilus.copy_async.wait_group 0
    tilus.sync
    %sum = scf.for %i = %c16 to %n step %c16 iter_args(%acc = %zero) -> (tensor<16x16xf32>) : i32 {
      tilus.copy_async %gx[%i, %c0], %b : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
      tilus.copy_async.commit_group
      %t = tilus.load_shared %a : !tilus.shared<16x16xf16> -> tensor<16x16xf16>
      %p = tilus.mma %t, %t, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      tilus.copy_async.wait_group 0
      tilus.sync
      tilus.copy_async %gx[%i, %c0], %b : !tilus.global<?x16xf16>, !tilus.shared<16x16xf16>
      tilus.copy_async.commit_group
      %t2 = tilus.load_shared %a : !tilus.shared<16x16xf16> -> tensor<16x16xf16>
      %p2 = tilus.mma %t2, %t2, %p : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
      tilus.copy_async.wait_group 0
      tilus.sync
      scf.yield %p2 : tensor<16x16xf32>
    }
    tilus.store_global %sum, %gy[%c0, %c0] : tensor<16x16xf32>, !tilus.global<?x16xf32>
  }
}
