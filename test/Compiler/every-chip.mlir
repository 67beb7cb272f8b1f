// The PTX of a kernel assembles for every chip that the assembler has.
// REQUIRES: ptxas
// RUN: tilus-run %S/../Tools/Inputs/scale.mlir --assembler ptxas --device none --json --target sm_75,sm_80,sm_86,sm_87,sm_89,sm_90,sm_90a,sm_100,sm_100f,sm_100a,sm_103,sm_103f,sm_103a,sm_110,sm_110f,sm_110a,sm_120,sm_120f,sm_120a,sm_121,sm_121f,sm_121a | FileCheck %s
// CHECK: "target": "sm_75"
// CHECK: "target": "sm_121a"
