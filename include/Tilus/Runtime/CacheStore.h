// The files of a disk cache: one opened root folder, and what lies in it.
//
// A file '.tilus-cache' says that the folder is a cache. Of 'kernels', each file holds the artifacts of one
// entry; with a secret, 32 bytes that authenticate it follow. For 'scripts' see ScriptDirectory.h; 'tmp',
// 'bad' and 'locks' have files being written, damaged files and locks. Whatever else lies there is not the
// cache's, and stays.
//
// Owns reading, writing and removing of entries; policy (warnings, turning off) is KernelCache's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CacheOptions.h"
#include "Tilus/Support/ArtifactFile.h"

namespace tilus {

/// A kernel in the cache.
struct CacheEntry {
  Hash256 key;
  uint64_t bytes = 0;
  /// Seconds since it was written or used.
  int64_t age = 0;
};

/// What pruning, verifying or clearing removed.
struct CacheRemoval {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};

class CacheStore {
public:
  /// The file that makes a folder a cache.
  static constexpr llvm::StringLiteral markerName = ".tilus-cache";

  /// Opens the root, making it if asked, and sweeps it. A root that holds something else than a cache is not
  /// used, but its subfolder "tilus".
  static llvm::Expected<CacheStore> open(const CacheOptions &options, bool create = true);

  llvm::StringRef getPath() const { return root.getPath(); }
  /// What files are signed with, if users share the folder.
  const std::optional<Hash256> &getSecret() const { return secret; }
  /// Reads and checks an entry. Missing: there is none. Refused: the file is damaged or not trusted.
  llvm::Expected<std::vector<KernelArtifact>> read(const Hash256 &key) const;
  /// The bytes of an entry. Fails where the artifacts exceed the limits of the file format.
  llvm::Expected<std::string> encode(const Hash256 &key, llvm::ArrayRef<KernelArtifact> artifacts) const;
  /// Writes an entry's bytes, in place of what was there.
  llvm::Error write(const Hash256 &key, llvm::StringRef bytes) const;
  /// Moves an entry that was refused out of the way.
  llvm::Error setAside(const Hash256 &key) const;
  /// Notes that an entry was used, unless that was noted less than a day ago.
  void noteUse(const Hash256 &key) const;
  llvm::Error remove(const Hash256 &key) const;
  /// The entries, the most recently used first.
  llvm::Expected<std::vector<CacheEntry>> list() const;
  /// Removes the entries that were not used for longest until the rest keeps to the limits, and damaged files
  /// that were set aside more than a week ago.
  llvm::Expected<CacheRemoval> prune(uint64_t maxBytes, std::chrono::seconds maxAge) const;
  /// Removes all entries, what is kept of scripts, locks and damaged files.
  llvm::Expected<CacheRemoval> clear() const;

  /// The lock that processes take that are about to compile a kernel.
  std::optional<FileLock> lock(const Hash256 &key, std::chrono::milliseconds patience) const;
  /// The folder of that name, made if it is missing: "tmp", "scripts" and so on.
  llvm::Expected<TrustedFolder> openFolder(llvm::StringRef name) const {
    return root.openSubfolder(name, /*create=*/true);
  }

private:
  CacheStore(TrustedFolder root, TrustedFolder kernels, std::optional<Hash256> secret)
      : root(std::move(root)), kernels(std::move(kernels)), secret(secret) {}
  /// Removes the files of a folder that are at least as old and that `isOurs` knows by name, if it is there;
  /// of folders in it, the files that `isOursWithin` knows.
  void removeOld(llvm::StringRef folder, int64_t age, llvm::function_ref<bool(llvm::StringRef)> isOurs,
                 llvm::function_ref<bool(llvm::StringRef)> isOursWithin) const;
  void removeLeftovers(int64_t damagedAge, int64_t lockAge) const;

  TrustedFolder root;
  TrustedFolder kernels;
  std::optional<Hash256> secret;
};

} // namespace tilus
