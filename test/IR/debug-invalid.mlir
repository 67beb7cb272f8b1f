// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of printing and assertions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @count(%n: i32) {
  // expected-error @below {{'tilus.printf' op expected one argument for each of the 2 conversions of the format, but got 1}}
  tilus.printf "%d of %d, 100%%", %n : i32
  return
}

// -----

func.func @conversion(%n: i32) {
  // expected-error @below {{'tilus.printf' op expected a conversion that ends in one of 'diuoxXcfFeEgGaAp', but got '%s'}}
  tilus.printf "%s", %n : i32
  return
}

// -----

func.func @unfinished(%n: i32) {
  // expected-error @below {{'tilus.printf' op expected a conversion that ends in one of 'diuoxXcfFeEgGaAp', but got '%'}}
  tilus.printf "100%", %n : i32
  return
}

// -----

func.func @integer(%s: f32) {
  // expected-error @below {{'tilus.printf' op expected an integer for '%-4d', but got 'f32'}}
  tilus.printf "%-4d", %s : f32
  return
}

// -----

func.func @float(%n: i32) {
  // expected-error @below {{'tilus.printf' op expected a float for '%g', but got 'i32'}}
  tilus.printf "%g", %n : i32
  return
}

// -----

func.func @pointer(%n: i64) {
  // expected-error @below {{'tilus.printf' op expected a pointer for '%p', but got 'i64'}}
  tilus.printf "%p", %n : i64
  return
}

// -----

func.func @long(%n: i64) {
  // expected-error @below {{'tilus.printf' op expected length 'll' in the conversion of 'i64', but got '%d'}}
  tilus.printf "%d", %n : i64
  return
}

// -----

func.func @short(%n: i8) {
  // expected-error @below {{'tilus.printf' op expected no length in the conversion of 'i8', but got '%hhd'}}
  tilus.printf "%hhd", %n : i8
  return
}

// -----

func.func @message(%t: tensor<4xi32>) {
  // expected-error @below {{'tilus.print' op expected a message without '%', but got '%d'}}
  tilus.print "%d", %t : tensor<4xi32>
  return
}

// -----

func.func @condition(%n: i32) {
  // expected-error @below {{'tilus.assert' op operand #0 must be 1-bit signless integer or tile of i1, but got 'i32'}}
  tilus.assert %n, "n" : i32
  return
}

// -----

func.func @tile(%t: tensor<4xi32>) {
  // expected-error @below {{'tilus.assert' op operand #0 must be 1-bit signless integer or tile of i1, but got 'tensor<4xi32>'}}
  tilus.assert %t, "t" : tensor<4xi32>
  return
}
