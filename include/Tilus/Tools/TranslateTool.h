// The program tilus-translate, but for its main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus {

/// Translates the one kernel of a file, or the one named by --kernel, by --tilus-to-ptx, --tilus-to-cubin or
/// --tilus-to-llvmir, for the chip named by --target or the module's own; or all of them, for all chips of
/// --targets, by --tilus-to-artifact. The exit code of the program.
int runTilusTranslate(int argc, char **argv);

} // namespace tilus
