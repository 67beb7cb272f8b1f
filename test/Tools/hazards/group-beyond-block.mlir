// A thread group of more threads than the block has.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.thread_group' op expected threads within the 128 of the enclosing group, but got 64 to 192
  tilus.thread_group begin(64) threads(128) {
  }
}
