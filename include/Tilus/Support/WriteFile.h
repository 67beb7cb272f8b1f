// Writing of whole files that people asked for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace tilus {

/// Writes the content to the file, whose folder is made if it is not there. What goes wrong, a full disk too,
/// is returned.
std::error_code writeFile(llvm::StringRef path, llvm::StringRef content);

/// The path of a file of a kernel in a folder: `<folder>/<kernel><suffix>`. Of a name that is longer than
/// file systems take, the beginning and a hash stand for it.
std::string makeKernelPath(llvm::StringRef folder, llvm::StringRef kernel, llvm::StringRef suffix);

} // namespace tilus
