// What is known of integers at the place where they are printed.
// RUN: tilus-opt %s -split-input-file -verify-diagnostics -test-tilus-scalar-analysis

// Divisors and ranges of parameters; powers of two survive a product that may wrap, other divisors do not.
tilus.kernel @params(%n: i32 {tilus.divisibility = 48}, %m: i8, %p: !tilus.ptr<f16>) warps(1) grid {
  tilus.grid [%n]
} {
  // expected-remark @below {{[-2147483616, 2147483616] / 48; [-128, 127] / 1}}
  tilus.printf "%d %d", %n, %m : i32, i8
  %c3 = arith.constant 3 : i32
  %wraps = arith.muli %n, %c3 : i32
  %wide = arith.extsi %m : i8 to i32
  %exact = arith.muli %wide, %c3 : i32
  // expected-remark @below {{[-2147483648, 2147483632] / 16; [-384, 381] / 3}}
  tilus.printf "%d %d", %wraps, %exact : i32, i32
}

// -----

// An assumption at the top says so of a parameter everywhere, even of what was computed before it.
tilus.kernel @assumed(%n: i32, %k: i64) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c8 = arith.constant 8 : i32
  %c4096 = arith.constant 4096 : i32
  %early = arith.addi %n, %c8 : i32
  %r = arith.remsi %n, %c8 : i32
  %divides = arith.cmpi eq, %r, %c0 : i32
  %below = arith.cmpi sle, %n, %c4096 : i32
  %above = arith.cmpi slt, %c0, %n : i32
  %two = arith.andi %divides, %below : i1
  %all = arith.andi %two, %above : i1
  tilus.assume %all
  // expected-remark @below {{[8, 4096] / 8; [16, 4104] / 8}}
  tilus.printf "%d %d", %n, %early : i32, i32
}

// -----

// After something that may end the block, an assumption holds from its place on only.
tilus.kernel @assumed_late(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %low = arith.andi %n, %c7 : i32
  %divides = arith.cmpi eq, %low, %c0 : i32
  %odd = arith.cmpi ne, %low, %c0 : i32
  // expected-remark @below {{[-2147483648, 2147483647] / 1}}
  tilus.printf "%d", %n : i32
  scf.if %odd {
    tilus.exit
  }
  tilus.assume %divides
  // expected-remark @below {{[-2147483648, 2147483640] / 8}}
  tilus.printf "%d", %n : i32
}

// -----

// A remainder read as unsigned says nothing of a negative number but for powers of two.
tilus.kernel @assumed_unsigned(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c12 = arith.constant 12 : i32
  %c100 = arith.constant 100 : i32
  %r = arith.remui %n, %c12 : i32
  %divides = arith.cmpi eq, %r, %c0 : i32
  tilus.assume %divides
  // expected-remark @below {{[-2147483648, 2147483644] / 4}}
  tilus.printf "%d", %n : i32
  %small = arith.cmpi ult, %n, %c100 : i32
  scf.if %small {
    // expected-remark @below {{[0, 96] / 4}}
    tilus.printf "%d", %n : i32
  } else {
    // expected-remark @below {{[-2147483648, 2147483644] / 4}}
    tilus.printf "%d", %n : i32
  }
}

// -----

// Induction variables lie below the bound and on the step; what is carried joins all rounds.
tilus.kernel @loops(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %r:2 = scf.for %k = %c0 to %c100 step %c32 iter_args(%stage = %c0, %sum = %c0) -> (i32, i32) : i32 {
    // expected-remark @below {{[0, 96] / 32; [0, 2] / 1; [-2147483648, 2147483616] / 32}}
    tilus.printf "%d %d %d", %k, %stage, %sum : i32, i32, i32
    %next = arith.addi %stage, %c1 : i32
    %wrapped = arith.remsi %next, %c3 : i32
    %grown = arith.addi %sum, %c32 : i32
    scf.yield %wrapped, %grown : i32, i32
  }
  // expected-remark @below {{[0, 2] / 1; [-2147483648, 2147483616] / 32}}
  tilus.printf "%d %d", %r#0, %r#1 : i32, i32
  scf.for %i = %c2 to %n step %c3 : i32 {
    // expected-remark @below {{[2, 2147483646] / 1}}
    tilus.printf "%d", %i : i32
  }
}

// -----

// Branches join; a condition that is known decides.
tilus.kernel @branches(%flag: i1, %n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c8 = arith.constant 8 : i32
  %c20 = arith.constant 20 : i32
  %a = scf.if %flag -> (i32) {
    scf.yield %c8 : i32
  } else {
    scf.yield %c20 : i32
  }
  %known = arith.cmpi slt, %a, %c20 : i32
  %b = arith.select %flag, %c20, %c8 : i32
  %certain = arith.cmpi sgt, %a, %b : i32
  // expected-remark @below {{[8, 20] / 4; [-1, 0] / 1; [8, 20] / 4; [-1, 0] / 1}}
  tilus.printf "%d %d %d %d", %a, %known, %b, %certain : i32, i1, i32, i1
}

// -----

// The grid bounds block indices; an axis that is not given has one block.
tilus.kernel @blocks(%m: i32) warps(1) grid {
  %c64 = arith.constant 64 : i32
  %b = arith.ceildivsi %m, %c64 : i32
  %c12 = arith.constant 12 : i32
  tilus.grid [%b, %c12]
} {
  %c64 = arith.constant 64 : i32
  %x = tilus.block_id x
  %y = tilus.block_id y
  %z = tilus.block_id z
  %ny = tilus.grid_dim y
  %o = arith.muli %x, %c64 : i32
  // expected-remark @below {{[0, 33554431] / 1; [0, 11] / 1; 0; 12; [0, 2147483584] / 64}}
  tilus.printf "%d %d %d %d %d", %x, %y, %z, %ny, %o : i32, i32, i32, i32, i32
}

// -----

// Nothing is known of what a loop without a counter carries.
tilus.kernel @unknown(%n: i32) warps(1) grid {
  tilus.grid [%n]
} {
  %c0 = arith.constant 0 : i32
  %c4 = arith.constant 4 : i32
  %r = scf.while (%i = %c0) : (i32) -> i32 {
    %go = arith.cmpi slt, %i, %n : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %four = arith.muli %i, %c4 : i32
    // expected-remark @below {{[-2147483648, 2147483647] / 1; [-2147483648, 2147483644] / 4}}
    tilus.printf "%d %d", %i, %four : i32, i32
    scf.yield %four : i32
  }
  // expected-remark @below {{[-2147483648, 2147483647] / 1}}
  tilus.printf "%d", %r : i32
}
