// Writing of whole files that people asked for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"

#include <system_error>

namespace tilus {

/// Writes the content to the file, whose folder is made if it is not there. What goes wrong, a full disk too,
/// is returned.
std::error_code writeFile(llvm::StringRef path, llvm::StringRef content);

} // namespace tilus
