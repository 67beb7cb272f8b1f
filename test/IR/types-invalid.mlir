// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of the types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'si8'}}
func.func private @ptr_signed(!tilus.ptr<si8>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'i65'}}
func.func private @ptr_wide(!tilus.ptr<i65>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f128'}}
func.func private @ptr_wide_float(!tilus.ptr<f128>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'vector<2xf16>'}}
func.func private @ptr_vector(!tilus.ptr<vector<2xf16>>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got '!tilus.ptr<f16>'}}
func.func private @ptr_ptr(!tilus.ptr<!tilus.ptr<f16>>)

// -----

// expected-error @below {{expected a view of rank 0 to 5, but got rank 6}}
func.func private @global_rank(!tilus.global<1x1x1x1x1x1xf32>)

// -----

// expected-error @below {{expected one stride for each of the 2 dimensions, but got 1}}
func.func private @global_strides(!tilus.global<4x8xf32, strides = [1]>)

// -----

// expected-error @below {{expected sizes that are not negative with a product of at most 1099511627776, but got [1099511627776, 2]}}
func.func private @global_size(!tilus.global<1099511627776x?x0x2xf32>)

// -----

// expected-error @below {{expected an extent above -2^63, but got -9223372036854775808}}
func.func private @global_stride(!tilus.global<4xf32, strides = [-9223372036854775808]>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'none'}}
func.func private @global_element(!tilus.global<4xnone>)

// -----

// expected-error @below {{expected 'strides'}}
func.func private @global_keyword(!tilus.global<4xf32, stride = [1]>)

// -----

// expected-error @below {{expected a shared tile of rank 0 to 6, but got rank 7}}
func.func private @shared_rank(!tilus.shared<1x1x1x1x1x1x1xf32>)

// -----

// expected-error @below {{expected static positive sizes for a shared tile, but got 0}}
func.func private @shared_empty(!tilus.shared<4x0xf32>)

// -----

// expected-error @below {{expected static shape}}
func.func private @shared_dynamic(!tilus.shared<4x?xf32>)

// -----

// expected-error @below {{expected a shared tile of at most 1099511627776 elements, but got [1099511627776, 2]}}
func.func private @shared_size(!tilus.shared<1099511627776x2xf32>)

// -----

// expected-error @below {{expected a layout of the tile's shape, but got #tilus.smem<shape = [8], modes = [8], strides = [1]>}}
func.func private @shared_layout(!tilus.shared<4xf32, #tilus.smem<shape = [8], modes = [8], strides = [1]>>)

// -----

// expected-error @below {{invalid kind of attribute specified}}
func.func private @shared_attribute(!tilus.shared<4xf32, 4 : i32>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'complex<f32>'}}
func.func private @shared_element(!tilus.shared<4xcomplex<f32>>)

// -----

// expected-error @below {{expected 1 to 5 exponent bits and 3 to 8 bits in all, but got 6 and 8}}
func.func private @float_exponent(!tilus.float<6, 1>)

// -----

// expected-error @below {{expected 1 to 5 exponent bits and 3 to 8 bits in all, but got 5 and 9}}
func.func private @float_wide(!tilus.float<5, 3>)

// -----

// expected-error @below {{expected 1 to 5 exponent bits and 3 to 8 bits in all, but got 1 and 2}}
func.func private @float_narrow(!tilus.float<1, 0>)

// -----

// expected-error @below {{expected 1 to 5 exponent bits and 3 to 8 bits in all, but got 4 and 4294967300}}
func.func private @float_mantissa(!tilus.float<4, 4294967295>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f8E4M3FNUZ'}}
func.func private @element_f8e4m3fnuz(!tilus.ptr<f8E4M3FNUZ>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f8E5M2FNUZ'}}
func.func private @element_f8e5m2fnuz(!tilus.ptr<f8E5M2FNUZ>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f8E4M3B11FNUZ'}}
func.func private @element_f8e4m3b11fnuz(!tilus.ptr<f8E4M3B11FNUZ>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f8E8M0FNU'}}
func.func private @element_f8e8m0fnu(!tilus.ptr<f8E8M0FNU>)

// -----

// expected-error @below {{expected an element type of a kernel (i1 to i64, index, f64, f32, tf32, f16, bf16, f8E5M2, f8E4M3, f8E4M3FN, f8E3M4, f6E3M2FN, f6E2M3FN, f4E2M1FN, !tilus.float or !tilus.bit), but got 'f80'}}
func.func private @element_f80(!tilus.ptr<f80>)
