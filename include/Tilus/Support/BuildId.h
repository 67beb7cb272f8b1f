// The build ids that linkers write into programs and libraries: they tell one build from another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <string>

namespace tilus {

/// The build id of the loaded program or library that the address lies in, in hexadecimal digits; empty if it
/// has none.
std::string findBuildIdOfObject(const void *address);

/// The same of a program or library that need not be loaded. Empty for a file that is none, too.
std::string readBuildIdOfFile(const std::string &path);

/// What keys say of a build: its version and its build id.
inline std::string describeBuild(llvm::StringRef version, llvm::StringRef buildId) {
  return (version + " " + buildId).str();
}

} // namespace tilus
