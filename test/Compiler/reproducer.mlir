// A pass that fails leaves what repeats it: the input, the pipeline, the versions and the messages.
// RUN: rm -rf %t
// RUN: not tilus-run %s --target sm_75 --reproducer-dir %t/new 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=FILE --input-file %t/new/tilus-late.sm_75.mlir
// RUN: not tilus-opt --run-reproducer %t/new/tilus-late.sm_75.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: env TILUS_REPRODUCER_DIR=%t/other not tilus-opt --tilus-to-ptx="targets=sm_75" %s
// RUN: FileCheck %s --check-prefix=FILE --input-file %t/other/tilus-late.sm_75.mlir
// A folder that cannot be made is said, and the error stays.
// RUN: not tilus-run %s --target sm_75 --reproducer-dir %s/no 2>&1 | FileCheck %s --check-prefix=FOLDER

// CHECK: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75
// CHECK: remark: reproducer written to '{{.*}}tilus-late.sm_75.mlir'

// FILE: // Tilus {{[0-9.]+}}, LLVM 22
// FILE: // {{.*}}reproducer.mlir{{.*}}requires feature 'cp_async'
// FILE: tilus.kernel @late
// FILE: mlir_reproducer
// FILE: pipeline: "builtin.module(tilus-fold-target{{.*}}tilus-verify-target{{.*}}convert-tilus-to-nvvm

// AGAIN: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async' (sm_80 or later), but the kernel targets sm_75

// FOLDER: error: 'tilus.copy_async.wait_all' op requires feature
// FOLDER: warning: expected to write a reproducer to '{{.*}}tilus-late.sm_75.mlir', but: {{.+}}
tilus.kernel @late() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  tilus.copy_async.wait_all
}
