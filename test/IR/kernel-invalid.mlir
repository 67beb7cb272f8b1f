// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Names of kernels, and loops that never end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got 'a b'}}
tilus.kernel @"a b"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got '9'}}
tilus.kernel @"9"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got '_'}}
tilus.kernel @"_"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name of letters, digits, '_' and '$' that does not begin with a digit, but got '$'}}
tilus.kernel @"$"(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name that no function of the device or the compiler has, but got 'vprintf'}}
tilus.kernel @vprintf(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name that no function of the device or the compiler has, but got '__assertfail'}}
tilus.kernel @__assertfail(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name that no function of the device or the compiler has, but got '__nv_expf'}}
tilus.kernel @__nv_expf(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name that no function of the device or the compiler has, but got 'tilus_shared_memory'}}
tilus.kernel @tilus_shared_memory(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a name of at most 1024 letters, but got one of 1025}}
tilus.kernel @aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// The longest name, and names that only look like those.
tilus.kernel @aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}
tilus.kernel @__(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}
tilus.kernel @__nv(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

tilus.kernel @step(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  // expected-error @below {{'scf.for' op expected a positive step, but got 0}}
  scf.for %i = %c0 to %n step %c0 : i32 {
  }
}

// -----

// The reference and the GPU run the same control flow.
tilus.kernel @parallel(%n: i32) warps(4) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{expected 'scf.for', 'scf.while', 'scf.if' or 'scf.index_switch' as control flow of a kernel, but got 'scf.parallel'; all threads of a block share its loops, and tiles are what they divide}}
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    scf.reduce
  }
}

// -----

tilus.kernel @forall(%n: i32) warps(4) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{as control flow of a kernel, but got 'scf.forall'}}
  scf.forall (%i) in (4) {
  }
}

// -----

// What other dialects do with tiles is held to the same rules.
tilus.kernel @element(%n: i32) warps(4) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'arith.constant' op expected a tile (static positive sizes, at most 5 dimensions, elements of a type that '!tilus.ptr' takes, no encoding but '#tilus.reg'), but got 'tensor<4xf8E4M3FNUZ>'}}
  %t = arith.constant dense<1.0> : tensor<4xf8E4M3FNUZ>
}

// -----

tilus.kernel @encoding(%n: i32) warps(4) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{no encoding but '#tilus.reg'), but got 'tensor<4xf32, "rows">'}}
  %t = arith.constant dense<1.0> : tensor<4xf32, "rows">
}
