// What fails behind the passes, or before them, leaves a file that repeats it, too.
// REQUIRES: ptxas
// RUN: rm -rf %t && split-file %s %t
// RUN: not tilus-run %t/grid.mlir --target sm_80 --reproducer-dir %t/out 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not tilus-opt --run-reproducer %t/out/tilus-grid.sm_80.mlir 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: FileCheck %s --check-prefix=FILE --input-file %t/out/tilus-grid.sm_80.mlir
// The assembler's failure: one that is not there.
// RUN: env TILUS_PTXAS=%t/no-such-ptxas not tilus-run %t/fine.mlir --target sm_80 --reproducer-dir %t/out --assembler=ptxas 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: FileCheck %s --check-prefix=PIPELINE --input-file %t/out/tilus-fine.sm_80.mlir
// Success leaves nothing.
// RUN: tilus-run %t/fine.mlir --target sm_80 --reproducer-dir %t/none
// RUN: ls -A %t/none | count 0

// GRID: error: 'arith.fptosi' op expected integer arithmetic that a launch can evaluate
// GRID: remark: reproducer written to '{{.*}}tilus-grid.sm_80.mlir'
// AGAIN: error: 'arith.fptosi' op expected integer arithmetic that a launch can evaluate
// FILE: // Tilus {{[0-9.]+}}, LLVM 22
// FILE: pipeline: "builtin.module(tilus-emit-binary{{.*}}targets={sm_80}

// PTXAS: error: {{.*}}no-such-ptxas
// PTXAS: remark: reproducer written to '{{.*}}tilus-fine.sm_80.mlir'
// PIPELINE: pipeline: "builtin.module(tilus-emit-binary{assembler=ptxas cubin=true{{.*}}targets={sm_80}}

//--- grid.mlir
tilus.kernel @grid(%n: i32, %f: f32) warps(1) grid {
  %i = arith.fptosi %f : f32 to i32
  tilus.grid [%i]
} {
}

//--- fine.mlir
tilus.kernel @fine() warps(1) grid {
  %c1 = arith.constant 1 : i32
  tilus.grid [%c1]
} {
}
