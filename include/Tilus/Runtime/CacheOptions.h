// Where compiled kernels are kept, how many, and who is trusted.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/TrustedFolder.h"
#include "Tilus/Support/Hash256.h"

#include <chrono>
#include <functional>

namespace tilus {

struct CacheOptions {
  /// False: nothing is read or written.
  bool isEnabled = true;
  /// The folder that holds everything. Empty: there is no place for it, and the cache is off.
  std::string root;
  /// When the kernels take more, the ones not used for longest are removed.
  uint64_t maxBytes = uint64_t(2) << 30;
  /// Kernels not used for longer are removed when room is made; 0 keeps them.
  std::chrono::seconds maxAge = std::chrono::seconds(0);
  /// Whose files are trusted. With a secret, files of all users are read, but only those that were written by
  /// somebody who has it.
  FileTrust trust = FileTrust::ofProcess();
  std::optional<Hash256> secret;
  /// How long to wait for another process that compiles the same kernel before compiling it too.
  std::chrono::milliseconds lockPatience = std::chrono::seconds(60);
  /// Takes warnings: at most one for damaged entries, and one when the cache turns itself off.
  std::function<void(llvm::StringRef)> warn;

  /// The defaults, changed by the environment:
  ///   TILUS_CACHE          "off" disables the cache
  ///   TILUS_CACHE_DIR      the root; else $XDG_CACHE_HOME/tilus, else ~/.cache/tilus
  ///   TILUS_CACHE_BYTES    maxBytes
  ///   TILUS_CACHE_SECRET   a file that only its owner can read; its contents are the secret of a cache that
  ///                        users share
  /// Fails where a value cannot be used.
  static llvm::Expected<CacheOptions> fromEnvironment();
};

} // namespace tilus
