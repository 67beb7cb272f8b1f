// Every stage of a compilation as a file, in the order of the stages, in a folder of the kernel's own.
// REQUIRES: ptxas
// RUN: rm -rf %t && split-file %s %t
// RUN: tilus-run %t/fine.mlir --target sm_80,sm_90a --emit stages=%t/out 2>&1 | FileCheck %s --check-prefix=QUIET
// QUIET-NOT: remark
// RUN: ls %t/out | FileCheck %s --check-prefix=FOLDERS
// FOLDERS:      fine.sm_80.{{[0-9a-f]+$}}
// FOLDERS-NEXT: fine.sm_90a.{{[0-9a-f]+$}}
// FOLDERS-NOT: {{.}}
// RUN: ls %t/out/fine.sm_80.* | FileCheck %s --check-prefix=FILES
// FILES:      00-kernel.mlir
// FILES-NEXT: 01-tilus-fold-target.mlir
// FILES:      -tilus-infer-layouts.mlir
// FILES:      -convert-tilus-to-nvvm.mlir
// FILES:      -linked.ll
// FILES-NEXT: -optimized.ll
// FILES-NEXT: -kernel.ptx
// FILES-NEXT: -kernel.cubin
// FILES:      options.txt
// FILES-NEXT: remarks.txt
// FILES-NOT: {{.}}
// RUN: FileCheck %s --check-prefix=OPTIONS --input-file %t/out/fine.sm_80.*/options.txt
// OPTIONS: tilus {{[0-9.]+}}, LLVM 22
// OPTIONS: target: #tilus.target<{{.*}}chip = "sm_80"
// OPTIONS: compilation: {{.*}}opt-level=3
// OPTIONS: passes: builtin.module(tilus-fold-target
// RUN: FileCheck %s --check-prefix=REMARKS --input-file %t/out/fine.sm_80.*/remarks.txt
// REMARKS: fine.mlir{{.*}}: lies in shared memory as
// The stages change nothing: neither what is compiled nor what the folder tells apart.
// RUN: tilus-run %t/fine.mlir --target sm_80,sm_90a --emit ptx=%t/plain --emit cubin=%t/plain
// RUN: cmp %t/plain/fine.sm_80.ptx %t/out/fine.sm_80.*/*-kernel.ptx
// RUN: cmp %t/plain/fine.sm_90a.cubin %t/out/fine.sm_90a.*/*-kernel.cubin
// RUN: tilus-run %t/out/fine.sm_80.*/00-kernel.mlir --emit ptx=%t/again
// RUN: cmp %t/plain/fine.sm_80.ptx %t/again/fine.sm_80.ptx
// RUN: tilus-run %t/fine.mlir --target sm_80 --fast-math --emit stages=%t/out
// RUN: ls %t/out | count 3

// What other programs compile is written as well, and of several kernels each.
// RUN: env TILUS_DUMP=%t/variable tilus-opt --tilus-to-ptx=targets=sm_80 %t/two.mlir -o /dev/null
// RUN: ls %t/variable | FileCheck %s --check-prefix=TWO
// TWO:      first.sm_80.
// TWO-NEXT: second.sm_80.

// A pass that fails leaves the stages before it, what it made, and what repeats it.
// RUN: not tilus-run %t/late.mlir --target sm_75 --emit stages=%t/failed 2>&1 | FileCheck %s --check-prefix=LATE
// LATE: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async'
// LATE: remark: reproducer written to '{{.*}}late.sm_75.{{[0-9a-f]+}}/tilus-late.sm_75.mlir'
// RUN: ls %t/failed/* | FileCheck %s --check-prefix=LEFT
// LEFT:      00-kernel.mlir
// LEFT:      -tilus-verify-target.failed.mlir
// LEFT-NEXT: options.txt
// LEFT-NEXT: tilus-late.sm_75.mlir
// RUN: not tilus-opt --run-reproducer %t/failed/*/tilus-late.sm_75.mlir 2>&1 | FileCheck %s --check-prefix=REPEATED
// REPEATED: error: 'tilus.copy_async.wait_all' op requires feature 'cp_async'
// An assembler that is not there leaves all but the cubin; when it is there again, nothing of the failure stays.
// RUN: env TILUS_PTXAS=%t/none not tilus-run %t/fine.mlir --target sm_80 --assembler=ptxas --emit stages=%t/back 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS: error: {{.*}}none
// RUN: ls %t/back/* | FileCheck %s --check-prefix=NOCUBIN
// NOCUBIN: -kernel.ptx
// NOCUBIN-NOT: cubin
// NOCUBIN: tilus-fine.sm_80.mlir
// RUN: tilus-run %t/fine.mlir --target sm_80 --assembler=ptxas --emit stages=%t/back
// RUN: ls %t/back/* | FileCheck %s --check-prefix=WHOLE
// WHOLE: -kernel.cubin
// WHOLE-NOT: tilus-fine

// A folder that cannot be made, and a disk that is full, are one warning.
// RUN: tilus-run %t/fine.mlir --target sm_80 --emit stages=%t/fine.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: warning: expected to write a stage to '{{.*}}', but:
// FOLDER-NOT: warning
// RUN: mkdir %t/full && ln -s /dev/full %t/full/tilus-late.sm_75.mlir
// RUN: not tilus-run %t/late.mlir --target sm_75 --reproducer-dir %t/full 2>&1 | FileCheck %s --check-prefix=FULL
// FULL: warning: expected to write a reproducer to '{{.*}}tilus-late.sm_75.mlir', but:

// Compiled kernels have no stages.
// RUN: tilus-translate --tilus-to-artifact --target=sm_80 %t/fine.mlir -o %t/fine.tilus
// RUN: not tilus-run %t/fine.tilus --emit stages=%t/out 2>&1 | FileCheck %s --check-prefix=ARTIFACT
// ARTIFACT: error: expected a file of MLIR for '--emit stages'

//--- fine.mlir
tilus.kernel @fine(%p: !tilus.ptr<f32>) warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  %c0 = arith.constant 0 : i32
  %view = tilus.global_view %p : !tilus.ptr<f32> -> !tilus.global<32x32xf32>
  %tile = tilus.load_global %view[%c0, %c0] : !tilus.global<32x32xf32> -> tensor<32x32xf32>
  %shared = tilus.alloc_shared : !tilus.shared<32x32xf32>
  tilus.store_shared %tile, %shared : tensor<32x32xf32>, !tilus.shared<32x32xf32>
  tilus.sync
  %again = tilus.load_shared %shared : !tilus.shared<32x32xf32> -> tensor<32x32xf32>
  tilus.store_global %again, %view[%c0, %c0] : tensor<32x32xf32>, !tilus.global<32x32xf32>
}

//--- two.mlir
tilus.kernel @first() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
}
tilus.kernel @second() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
}

//--- late.mlir
tilus.kernel @late() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
  tilus.copy_async.wait_all
}
