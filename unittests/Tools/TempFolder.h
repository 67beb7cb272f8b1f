// A folder for a test's files, and the text of errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <string>

namespace tilus {

/// A folder that is removed with all its files at the end of the test.
class TempFolder {
public:
  TempFolder() { EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("tilus-tools", path)); }
  ~TempFolder() { llvm::sys::fs::remove_directories(path); }

  std::string operator/(llvm::StringRef name) const { return (path + "/" + name).str(); }
  /// Writes a file and returns its path.
  std::string write(llvm::StringRef name, llvm::StringRef content) const {
    std::error_code code;
    llvm::raw_fd_ostream os(*this / name, code);
    os << content;
    return *this / name;
  }

private:
  llvm::SmallString<128> path;
};

/// The text of an error, or "no error".
inline std::string message(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string("no error");
}
template <typename T> std::string message(llvm::Expected<T> value) { return message(value.takeError()); }

} // namespace tilus
