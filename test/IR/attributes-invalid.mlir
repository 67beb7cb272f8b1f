// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of the attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{expected a shape of positive sizes with a product of at most 1099511627776, but got [0]}}
func.func private @reg_shape() attributes {x = #tilus.reg<shape = [0], modes = [0], spatial = [], local = []>}

// -----

// expected-error @below {{expected a mode shape of positive sizes with a product of at most 1099511627776, but got [4, -2]}}
func.func private @reg_mode() attributes {x = #tilus.reg<shape = [8], modes = [4, -2], spatial = [0], local = [1]>}

// -----

// expected-error @below {{expected a mode shape that refines the shape [6, 4], but got [4, 6]}}
func.func private @reg_modes() attributes {x = #tilus.reg<shape = [6, 4], modes = [4, 6], spatial = [0], local = [1]>}

// -----

// expected-error @below {{expected spatial modes below 2, but got [0, 2]}}
func.func private @reg_spatial() attributes {x = #tilus.reg<shape = [6, 4], modes = [6, 4], spatial = [0, 2], local = [1]>}

// -----

// expected-error @below {{expected local modes below 2, but got [-2]}}
func.func private @reg_local() attributes {x = #tilus.reg<shape = [6, 4], modes = [6, 4], spatial = [0, 1], local = [-2]>}

// -----

// expected-error @below {{expected each mode to be used once, but got 0 uses of mode 1}}
func.func private @reg_unused() attributes {x = #tilus.reg<shape = [6, 4], modes = [6, 4], spatial = [0], local = []>}

// -----

// expected-error @below {{expected each mode to be used once, but got 2 uses of mode 0}}
func.func private @reg_repeated() attributes {x = #tilus.reg<shape = [6, 4], modes = [6, 4], spatial = [0], local = [0, 1]>}

// -----

// expected-error @below {{expected at most 1099511627776 threads, but got the spatial modes [-1099511627776, 0]}}
func.func private @reg_threads() attributes {x = #tilus.reg<shape = [6], modes = [6], spatial = [-1099511627776, 0], local = []>}

// -----

// expected-error @below {{expected 'modes'}}
func.func private @reg_syntax() attributes {x = #tilus.reg<shape = [6], spatial = [0], local = []>}

// -----

// expected-error @below {{expected a layout of shape [4, 8], but got #tilus.reg<shape = [8], modes = [8], spatial = [0], local = []>}}
func.func private @reg_encoding(tensor<4x8xf32, #tilus.reg<shape = [8], modes = [8], spatial = [0], local = []>>)

// -----

// expected-error @below {{expected a shape of positive sizes with a product of at most 1099511627776, but got [-1]}}
func.func private @smem_shape() attributes {x = #tilus.smem<shape = [-1], modes = [4], strides = [1]>}

// -----

// expected-error @below {{expected one stride for each of the modes [4, 8], but got [1]}}
func.func private @smem_strides() attributes {x = #tilus.smem<shape = [4, 8], modes = [4, 8], strides = [1]>}

// -----

// expected-error @below {{expected strides that are not negative and reach at most 1099511627776, but got [-1]}}
func.func private @smem_negative() attributes {x = #tilus.smem<shape = [4], modes = [4], strides = [-1]>}

// -----

// expected-error @below {{expected a mode shape that refines the shape [4], but got [8]}}
func.func private @smem_modes() attributes {x = #tilus.smem<shape = [4], modes = [8], strides = [1]>}

// -----

// expected-error @below {{expected three numbers for the swizzle (base, bits, shift), but got 2}}
func.func private @swizzle_size() attributes {x = #tilus.smem<shape = [4], modes = [4], strides = [1], swizzle = [3, 3]>}

// -----

// expected-error @below {{expected a swizzle <base, bits, shift> with base >= 0, 1 <= bits <= shift and at most 40 bits in all, but got <3, 4, 3>}}
func.func private @swizzle_bits() attributes {x = #tilus.smem<shape = [4], modes = [4], strides = [1], swizzle = [3, 4, 3]>}

// -----

// expected-error @below {{expected a matrix instruction of the atom table or 'simt', but got 'm16n8k16'}}
func.func private @atom() attributes {x = #tilus.mma_atom<m16n8k16>}

// -----

// expected-error @below {{expected a known chip, but got 'sm_90b'; did you mean 'sm_90'?}}
module attributes {tilus.target = #tilus.target<chip = "sm_90b">} {
}

// -----

// expected-error @below {{expected the triple 'nvptx64-nvidia-cuda' for sm_90a, but got 'nvptx-nvidia-cuda'}}
module attributes {tilus.target = #tilus.target<triple = "nvptx-nvidia-cuda", chip = "sm_90a">} {
}

// -----

// expected-error @below {{expected 'tilus.target' to be a #tilus.target, but got "sm_90a"}}
module attributes {tilus.target = "sm_90a"} {
}

// -----

// expected-error @below {{'func.func' op expected 'tilus.target' on a module, but got it on this op}}
func.func private @target() attributes {tilus.target = #tilus.target<chip = "sm_90a">}

// -----

// expected-error @below {{'func.func' op expected 'tilus.unroll' on an 'scf.for', but got it on this op}}
func.func private @unroll() attributes {tilus.unroll}

// -----

func.func @unroll(%n: index) {
  // expected-error @below {{'scf.for' op expected 'tilus.unroll' to be alone or a number from 1 to 4096, but got 0 : i32}}
  scf.for %i = %n to %n step %n {
  } {tilus.unroll = 0 : i32}
  return
}
