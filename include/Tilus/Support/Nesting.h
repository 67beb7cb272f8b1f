// How deeply the text of a module nests.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace tilus {

/// Brackets within brackets that are read. The parser and the passes recurse, and would run out of stack.
constexpr unsigned kMostNesting = 1000;

/// The offset of the first bracket of MLIR's text that opens a deeper level; nullopt if there is none.
/// Strings and comments are no brackets. Bytecode has no text: nullopt.
std::optional<size_t> findDeepNesting(llvm::StringRef text);

/// What to say of it.
std::string describeDeepNesting();

} // namespace tilus
