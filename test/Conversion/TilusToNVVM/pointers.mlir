// RUN: tilus-opt %s --tilus-to-ptx="targets=sm_80" | FileCheck %s
// Pointers to elements and of other types: accesses are as wide as what is known of the address allows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A multiple of four elements from an aligned parameter is aligned as it is; any element is not.
// CHECK:     ld.global.v4.b32
// CHECK-NOT: ld.global.v
// CHECK:     ld.global.b32
// CHECK-NOT: ld.global.v
// CHECK:     st.global.v4.b32
tilus.kernel @pointers(%x: !tilus.ptr<i8>, %y: !tilus.ptr<f32>, %i: i32) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %floats = tilus.pointer_cast %x : !tilus.ptr<i8> -> !tilus.ptr<f32>
  %view = tilus.global_view %floats : !tilus.ptr<f32> -> !tilus.global<1024xf32>
  %fourth = arith.muli %i, %c4 : i32
  %aligned = tilus.element_pointer %view[%fourth] : !tilus.global<1024xf32>
  %first = tilus.global_view %aligned : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %a = tilus.load_global %first[%c0] : !tilus.global<128xf32> -> tensor<128xf32>
  %any = tilus.element_pointer %view[%i] : !tilus.global<1024xf32>
  %second = tilus.global_view %any : !tilus.ptr<f32> -> !tilus.global<128xf32>
  %b = tilus.load_global %second[%c0] : !tilus.global<128xf32> -> tensor<128xf32>
  %sum = arith.addf %a, %b : tensor<128xf32>
  %out = tilus.global_view %y : !tilus.ptr<f32> -> !tilus.global<128xf32>
  tilus.store_global %sum, %out[%c0] : tensor<128xf32>, !tilus.global<128xf32>
}
