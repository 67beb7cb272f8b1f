// RUN: tilus-opt %s --verify-diagnostics --split-input-file
// Every diagnostic of kernels, thread groups and the grid.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// expected-error @below {{'tilus.kernel' op expected 1 to 32 warps, but got 33}}
tilus.kernel @warps(%n: i32) warps(33) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected 1 to 32 warps, but got 0}}
tilus.kernel @no_warps(%n: i32) warps(0) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected 1 to 32 warps, but got -1}}
tilus.kernel @negative_warps(%n: i32) warps(-1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected no results, but got 1}}
tilus.kernel @results(%n: i32) -> i32 warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a scalar or a pointer for parameter 'x', but got 'tensor<4xf32>'}}
tilus.kernel @tile_parameter(%n: i32, %x: tensor<4xf32>) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// A parameter without a name goes by its number.
// expected-error @below {{'tilus.kernel' op expected a scalar or a pointer for parameter '1', but got 'si32'}}
tilus.kernel @signed_parameter(%0: i32, %1: si32) warps(1) grid {
  tilus.grid [%0]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected one to three positive cluster sizes, but got [2, 0]}}
tilus.kernel @cluster_size(%n: i32) warps(1) cluster(2, 0) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected one to three positive cluster sizes, but got [1, 1, 1, 1]}}
tilus.kernel @cluster_rank(%n: i32) warps(1) cluster(1, 1, 1, 1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected one name for each of the 1 parameters, but got 2}}
"tilus.kernel"() <{function_type = (i32) -> (), sym_name = "names", warps = 1 : i32, param_names = ["n", "m"]}> ({
^bb0(%n: i32):
  tilus.grid [%n]
}, {
^bb0(%n: i32):
  tilus.return
}) : () -> ()

// -----

// expected-error @below {{'tilus.kernel' op expected one dictionary for each of the 1 parameters, but got 0}}
"tilus.kernel"() <{function_type = (i32) -> (), sym_name = "dictionaries", warps = 1 : i32, arg_attrs = []}> ({
^bb0(%n: i32):
  tilus.grid [%n]
}, {
^bb0(%n: i32):
  tilus.return
}) : () -> ()

// -----

// expected-error @below {{'tilus.kernel' op expected a positive integer as 'tilus.divisibility' of an integer or pointer, but got 0 : i64 on parameter 'n' of type 'i32'}}
tilus.kernel @divisibility(%n: i32 {tilus.divisibility = 0 : i64}) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected a positive integer as 'tilus.divisibility' of an integer or pointer, but got 8 : i64 on parameter 's' of type 'f32'}}
tilus.kernel @divisible_float(%n: i32, %s: f32 {tilus.divisibility = 8 : i64}) warps(1) grid {
  tilus.grid [%n]
} {
}

// -----

// expected-error @below {{'tilus.kernel' op expected both regions to take the parameters of the kernel}}
"tilus.kernel"() <{function_type = (i32) -> (), sym_name = "arguments", warps = 1 : i32}> ({
^bb0(%n: i32):
  tilus.grid [%n]
}, {
  tilus.return
}) : () -> ()

// -----

// expected-error @below {{'tilus.kernel' op expected the grid region to end with 'tilus.grid'}}
"tilus.kernel"() <{function_type = (i32) -> (), sym_name = "no_grid", warps = 1 : i32}> ({
^bb0(%n: i32):
  tilus.return
}, {
^bb0(%n: i32):
  tilus.return
}) : () -> ()

// -----

// expected-error @below {{'tilus.kernel' op expected the body to end with 'tilus.return'}}
"tilus.kernel"() <{function_type = (i32) -> (), sym_name = "no_return", warps = 1 : i32}> ({
^bb0(%n: i32):
  tilus.grid [%n]
}, {
^bb0(%n: i32):
  tilus.grid [%n]
}) : () -> ()

// -----

// expected-error @below {{'tilus.kernel' op region #0 ('grid') failed to verify constraint: region with 1 blocks}}
"tilus.kernel"() <{function_type = () -> (), sym_name = "regions", warps = 1 : i32}> ({}, {}) : () -> ()

// -----

tilus.kernel @host(%n: i32) warps(1) grid {
  // expected-error @below {{'tilus.block_id' op expected only arith operations on scalars in the grid region, which the host evaluates}}
  %i = tilus.block_id x
  tilus.grid [%i]
} {
}

// -----

tilus.kernel @host_tile(%n: i32) warps(1) grid {
  // expected-error @below {{'arith.constant' op expected only arith operations on scalars in the grid region, which the host evaluates}}
  %t = arith.constant dense<1> : tensor<4xi32>
  tilus.grid [%n]
} {
}

// -----

tilus.kernel @no_blocks() warps(1) grid {
  // expected-error @below {{'tilus.grid' op expected one to three block counts, but got 0}}
  tilus.grid []
} {
}

// -----

tilus.kernel @many_blocks(%n: i32) warps(1) grid {
  // expected-error @below {{'tilus.grid' op expected one to three block counts, but got 4}}
  tilus.grid [%n, %n, %n, %n]
} {
}

// -----

func.func @grid_place(%n: i32) {
  // expected-error @below {{'tilus.grid' op expects parent op 'tilus.kernel'}}
  tilus.grid [%n]
}

// -----

func.func @return_place() {
  // expected-error @below {{'tilus.return' op expects parent op to be one of 'tilus.kernel, tilus.thread_group'}}
  tilus.return
}

// -----

// expected-error @below {{custom op 'tilus.kernel' attribute 'warps' occurs more than once in the attribute list}}
tilus.kernel @attributes(%n: i32) warps(1) attributes {warps = 2 : i32} grid {
  tilus.grid [%n]
} {
}

// -----

tilus.kernel @outer(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.kernel' op symbol's parent must have the SymbolTable trait}}
  tilus.kernel @inner(%m: i32) warps(1) grid {
    tilus.grid [%m]
  } {
  }
}

// -----

tilus.kernel @group_size(%n: i32) warps(2) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.thread_group' op expected threads within the 64 of the enclosing group, but got 32 to 96}}
  tilus.thread_group begin(32) threads(64) {
  }
}

// -----

tilus.kernel @group_begin(%n: i32) warps(2) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.thread_group' op expected threads within the 64 of the enclosing group, but got -1 to 31}}
  tilus.thread_group begin(-1) threads(32) {
  }
}

// -----

tilus.kernel @empty_group(%n: i32) warps(2) grid {
  tilus.grid [%n]
} {
  // expected-error @below {{'tilus.thread_group' op expected threads within the 64 of the enclosing group, but got 0 to 0}}
  tilus.thread_group threads(0) {
  }
}

// -----

tilus.kernel @group_tile(%n: i32) warps(2) grid {
  tilus.grid [%n]
} {
  %s = tilus.alloc_shared : !tilus.shared<32xi32>
  // expected-note @below {{the tile is defined here}}
  %t = tilus.load_shared %s : !tilus.shared<32xi32> -> tensor<32xi32>
  // expected-note @below {{the thread group begins here}}
  tilus.thread_group begin(32) threads(32) {
    // expected-error @below {{'tilus.print' op expected tiles of its own thread group of 32 threads, but got one of the enclosing group}}
    tilus.print "t", %t : tensor<32xi32>
  }
}

// -----

func.func @axis() {
  // expected-error @below {{custom op 'tilus.block_id' expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %i = tilus.block_id w
  return
}

// -----

func.func @grid_axis() {
  // expected-error @below {{custom op 'tilus.grid_dim' expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %n = tilus.grid_dim w
  return
}

// -----

func.func @exit_operand(%n: i32) {
  // expected-error @below {{'tilus.exit' op requires zero operands}}
  "tilus.exit"(%n) : (i32) -> ()
  return
}

// -----

func.func @assume_integer(%n: i32) {
  // expected-note @above {{prior use here}}
  // expected-error @below {{use of value '%n' expects different type than prior uses: 'i1' vs 'i32'}}
  tilus.assume %n
  return
}
