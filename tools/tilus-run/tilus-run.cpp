// The program tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/RunTool.h"

int main(int argc, char **argv) { return tilus::runTilusRun(argc, argv); }
