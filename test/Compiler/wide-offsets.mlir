// RUN: tilus-translate --tilus-to-ptx --target sm_80 %s | FileCheck %s
// A row's number times a stride, both of 32 bits, is a product of 64 bits.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: .entry row(
// CHECK-NOT:   {{(mul|mad)\.lo\.[sub]32}}
// CHECK:       {{(mul|mad)\.(wide\.s32|lo\.s64)}}
// CHECK-NOT:   {{(mul|mad)\.lo\.[sub]32}}
// CHECK:       ret;
tilus.kernel @row(%i: i32, %stride: i32, %x: !tilus.ptr<i8>) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %view = tilus.global_view %x [%i] strides [%stride] : !tilus.ptr<i8> -> !tilus.global<?x32xi8, strides = [?, 1]>
  %row = tilus.load_global %view[%i, %c0] dims [1] : !tilus.global<?x32xi8, strides = [?, 1]> -> tensor<32xi8>
  tilus.store_global %row, %view[%c0, %c0] dims [1] : tensor<32xi8>, !tilus.global<?x32xi8, strides = [?, 1]>
}
