// A barrier of the block after some of its threads have ended.
// RUN: not tilus-run %s --device cpu --check-hazards 2>&1 | FileCheck %s --implicit-check-not=error:

tilus.kernel @k() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  tilus.thread_group begin(0) threads(32) {
    tilus.exit
  }
  // CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: 'tilus.sync' op expected all threads of the group, but got some that have ended
  tilus.sync
}
