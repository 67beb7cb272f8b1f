/* The program around host.mlir, compiled ahead: it needs no compiler, and the runtime alone.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "run.h"

#include <string.h>

void run(void *stream, int32_t n, float scale, uint64_t x);

int main(int argc, char **argv) {
  return runOnAllDevices(run, !(argc > 1 && strcmp(argv[1], "--no-values") == 0));
}
