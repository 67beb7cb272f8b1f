// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of matrix products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

func.func @rank(%a: tensor<1x64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op expected tiles of rank 2, but got ranks 3, 2 and 2}}
  %d = tilus.mma %a, %b, %c : tensor<1x64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @k(%a: tensor<64x16xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op expected 'a' and 'b' to agree on k, but got 64x16 and 32x64}}
  %d = tilus.mma %a, %b, %c : tensor<64x16xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @accumulator(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x32xf32>) {
  // expected-error @below {{'tilus.mma' op expected an accumulator of shape 64x64, but got 64x32}}
  %d = tilus.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x32xf32>
  return
}

// -----

func.func @mixed(%a: tensor<64x32xf16>, %b: tensor<32x64xbf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op expected floats of one type (or of 8 bits each) summed in a float at least as wide, or i8 or i32 summed in i32, but got 'f16', 'bf16' and 'f32'}}
  %d = tilus.mma %a, %b, %c : tensor<64x32xf16>, tensor<32x64xbf16>, tensor<64x64xf32>
  return
}

// -----

func.func @narrow(%a: tensor<64x32xf32>, %b: tensor<32x64xf32>, %c: tensor<64x64xf16>) {
  // expected-error @below {{summed in i32, but got 'f32', 'f32' and 'f16'}}
  %d = tilus.mma %a, %b, %c : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf16>
  return
}

// -----

func.func @integers(%a: tensor<64x32xi16>, %b: tensor<32x64xi16>, %c: tensor<64x64xi32>) {
  // expected-error @below {{summed in i32, but got 'i16', 'i16' and 'i32'}}
  %d = tilus.mma %a, %b, %c : tensor<64x32xi16>, tensor<32x64xi16>, tensor<64x64xi32>
  return
}

// -----

func.func @unsigned(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op expected operands of i8 where 'unsigned_a' or 'unsigned_b' is given, but got 'f16'}}
  %d = tilus.mma %a, %b, %c unsigned_b : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @atom(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op expected an atom for 'f16', 'f16' and 'f32', but got 'm16n8k16_bf16_bf16_f32'}}
  %d = tilus.mma %a, %b, %c atom(<m16n8k16_bf16_bf16_f32>) : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  return
}

// -----

func.func @result(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>, %c: tensor<64x64xf32>) {
  // expected-error @below {{'tilus.mma' op failed to verify that result has the type of the accumulator}}
  %d = "tilus.mma"(%a, %b, %c) : (tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>) -> tensor<64x64xf16>
  return
}
