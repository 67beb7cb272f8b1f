// RUN: tilus-opt %s | FileCheck %s
// RUN: tilus-opt %s --mlir-print-op-generic | FileCheck %s --check-prefix=GENERIC
// RUN: tilus-opt %s --mlir-print-op-generic | tilus-opt | FileCheck %s
// Printing and assertions, printed and parsed in both forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// CHECK-LABEL: func.func @debug(
// CHECK-NEXT:    tilus.printf "100%%\0A"
// CHECK-NEXT:    tilus.printf "n = %d, s = %5.2f, l = %lld, p = %p\0A", %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : i32, f32, i64, !tilus.ptr<f16>
// CHECK-NEXT:    tilus.print "tile", %{{.*}} : tensor<4xi1>
// CHECK-NEXT:    tilus.assert %{{.*}}, "scalar" : i1
// CHECK-NEXT:    tilus.assert %{{.*}}, "tile" : tensor<4xi1>
// GENERIC:       "tilus.printf"() <{format = "100%%\0A"}> : () -> ()
// GENERIC:       "tilus.printf"(%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) <{format = "n = %d, s = %5.2f, l = %lld, p = %p\0A"}> : (i32, f32, i64, !tilus.ptr<f16>) -> ()
// GENERIC:       "tilus.print"(%{{.*}}) <{message = "tile"}> : (tensor<4xi1>) -> ()
// GENERIC:       "tilus.assert"(%{{.*}}) <{message = "scalar"}> : (i1) -> ()
func.func @debug(%n: i32, %s: f32, %l: i64, %p: !tilus.ptr<f16>, %b: i1, %t: tensor<4xi1>) {
  tilus.printf "100%%\n"
  tilus.printf "n = %d, s = %5.2f, l = %lld, p = %p\n", %n, %s, %l, %p : i32, f32, i64, !tilus.ptr<f16>
  tilus.print "tile", %t : tensor<4xi1>
  tilus.assert %b, "scalar" : i1
  tilus.assert %t, "tile" : tensor<4xi1>
  return
}
