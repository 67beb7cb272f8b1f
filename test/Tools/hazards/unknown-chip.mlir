// A chip that no table row names.
// RUN: not tilus-opt %s 2>&1 | FileCheck %s --implicit-check-not=error:

// CHECK: :[[@LINE+1]]:{{[0-9]+}}: error: {{.*}}sm_95{{.*}}
module attributes {tilus.target = #tilus.target<chip = "sm_95">} {
}
