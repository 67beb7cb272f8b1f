// The program tilus-opt, but for its main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus {

/// Runs passes and pipelines on a file, as MLIR's opt tools do. The exit code of the program.
int runTilusOpt(int argc, char **argv);

} // namespace tilus
