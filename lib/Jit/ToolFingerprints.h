// What the keys of compiled kernels say of the tools: the contents of files.
//
// Owns the memory of hashes. An assembler has tens of megabytes, so its hash is computed once and kept with
// the file's identity (place, size and times), in the process and in the cache's folder. A library with a
// build id is told apart by that.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/KernelCache.h"
#include "Tilus/Runtime/OnceMap.h"
#include "Tilus/Support/Hash256.h"

namespace tilus {

class ToolFingerprints {
public:
  /// Hashes of files are kept in the cache's folder too, unless users share it.
  explicit ToolFingerprints(std::shared_ptr<KernelCache> cache) : cache(std::move(cache)) {}

  /// What tells a file's contents from others; the hash of nothing if it cannot be read.
  Hash256 getFileHash(const std::string &path);

private:
  /// What a file is as long as nobody has changed it; empty if there is none.
  static std::string identify(const std::string &path);
  Hash256 load(const std::string &path, const std::string &identity);

  std::shared_ptr<KernelCache> cache;
  /// By the hashes of the files' identities.
  OnceMap<Hash256> hashes;
};

} // namespace tilus
