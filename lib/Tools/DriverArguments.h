// What the drivers of MLIR are given, by the tools that are made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

namespace tilus {

/// The arguments, with diagnostics that show the line of the text and not the whole operation, unless they
/// ask for it.
std::vector<char *> makeDriverArguments(int argc, char **argv);

/// Reports an input file that nests too deeply to be read. False if one does.
bool checkInputFiles(int argc, char **argv);

} // namespace tilus
