// The program tilus-run, but for its main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus {

/// Does what the command line asks for; the exit code of the program, 0 only if all of it was done.
int runTilusRun(int argc, char **argv);

} // namespace tilus
