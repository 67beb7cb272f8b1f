// Writing of whole files.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/WriteFile.h"

#include "Tilus/Support/Hash256.h"

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

/// Names of files may have 255 bytes; the rest is for suffixes.
static constexpr size_t maxNameBytes = 180, keptBytes = 160, hashDigits = 12;

std::string tilus::makeKernelPath(llvm::StringRef folder, llvm::StringRef kernel, llvm::StringRef suffix) {
  std::string name = kernel.str();
  if (name.size() > maxNameBytes) {
    FieldHasher hasher;
    hasher.add("kernel", kernel);
    name = name.substr(0, keptBytes) + "." + hasher.finish().toHex().substr(0, hashDigits);
  }
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, name + suffix);
  return path.str().str();
}
