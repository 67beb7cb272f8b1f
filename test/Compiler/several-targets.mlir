// What is wrong for several targets is said once, with the names of those that it is said of.
// RUN: not tilus-run %s --device none --target sm_75,sm_80,sm_70 2>&1 | FileCheck %s --implicit-check-not=error:
// RUN: not tilus-opt %s --pass-pipeline="builtin.module(tilus-to-ptx{targets=sm_75,sm_80,sm_70})" 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// RUN: not tilus-translate %s --tilus-to-artifact --targets=sm_75,sm_80,sm_70 2>&1 \
// RUN:   | FileCheck %s --implicit-check-not=error:
// The operation as a whole is shown to those who ask.
// RUN: not tilus-opt %s --mlir-print-op-on-diagnostic \
// RUN:   --pass-pipeline="builtin.module(tilus-to-ptx{targets=sm_75})" 2>&1 | FileCheck %s --check-prefix=WHOLE
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WHOLE: note: see current operation: "tilus.copy_async.commit_group"()
tilus.kernel @wait() warps(4) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  // CHECK: several-targets.mlir:[[@LINE+4]]:3: error: 'tilus.copy_async.commit_group' op requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75, sm_70
  // CHECK-NEXT: tilus.copy_async.commit_group
  // CHECK-NOT: see current operation
  // CHECK: note: nothing needs to be waited for without asynchronous copies
  tilus.copy_async.commit_group
  // CHECK: several-targets.mlir:[[@LINE+1]]:3: note: 'tilus.copy_async.wait_all' requires it too
  tilus.copy_async.wait_all
}
