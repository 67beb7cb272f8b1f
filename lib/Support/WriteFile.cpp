// Writing of whole files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/WriteFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

std::error_code tilus::writeFile(llvm::StringRef path, llvm::StringRef content) {
  if (llvm::StringRef folder = llvm::sys::path::parent_path(path); !folder.empty())
    if (std::error_code error = llvm::sys::fs::create_directories(folder))
      return error;
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return error;
  file << content;
  file.close();
  error = file.error();
  // A stream with an error that nobody has seen ends the process.
  file.clear_error();
  return error;
}
