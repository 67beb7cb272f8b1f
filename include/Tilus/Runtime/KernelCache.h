// The disk cache of compiled kernels, as the dispatcher uses it.
//
// Owns the policy: a cache never makes a compilation fail and never gives anything but what was put. What
// goes wrong is reported once, and the process works on without it. All members may be called by many
// threads, and many processes may use one folder.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CacheStore.h"
#include "Tilus/Runtime/ForkGuard.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <memory>

namespace tilus {

/// What a cache did so far.
struct CacheStats {
  uint64_t hits = 0;
  uint64_t misses = 0;
  /// Entries that were written.
  uint64_t stores = 0;
  /// Entries that were damaged or not trusted, and set aside. They count as misses too.
  uint64_t refusals = 0;
  /// Why nothing is read, or nothing written, any more; empty while all is well.
  std::string offReason;
};

class KernelCache {
public:
  using Artifacts = std::vector<KernelArtifact>;

  /// Touches no file before it is used.
  explicit KernelCache(CacheOptions options);
  ~KernelCache();

  /// The artifacts that were put under the key, if they are there and undamaged.
  std::optional<Artifacts> get(const Hash256 &key);
  /// Keeps artifacts under a key. The same key has to stand for the same contents, always.
  void put(const Hash256 &key, llvm::ArrayRef<KernelArtifact> artifacts);
  /// The artifacts of the key, from the cache or else from `compile`, whose result is put. While one process
  /// or thread compiles a key, others that ask for it wait for the result.
  llvm::Expected<Artifacts> getOrCompile(const Hash256 &key,
                                         llvm::function_ref<llvm::Expected<Artifacts>()> compile);

  /// Uses another folder from now on, and turns on again if that was off.
  void setRoot(llvm::StringRef root);
  std::string getRoot();
  CacheStats getStats();
  /// The opened folder, for what else is kept there; null while the cache is off.
  std::shared_ptr<const CacheStore> getStore();

private:
  enum class State : uint8_t { Closed, Open, ReadOnly, Off };

  /// get() without the counting.
  std::optional<Artifacts> lookUp(const Hash256 &key);
  void count(uint64_t CacheStats::*counter);
  /// Warns, at most once a flag.
  void warnOnce(bool KernelCache::*flag, const llvm::Twine &text);
  /// Changes the state after a failure of a folder, unless another folder is in use by now.
  void turnOff(State newState, const CacheStore *failed, llvm::StringRef reason);
  /// Closes a folder that was removed while it was open, so that the next use makes it again.
  void reopen(const CacheStore *failed);
  void noteRefusal(llvm::StringRef reason);
  llvm::Error tryPut(const CacheStore &store, const Hash256 &key, llvm::StringRef bytes);

  ForkSafeMutex mutex;
  CacheOptions options;
  State state = State::Closed;
  std::shared_ptr<const CacheStore> store;
  CacheStats stats;
  bool hasWarnedOfRefusal = false;
  bool hasWarnedOfFailure = false;
  /// Bytes put since the limits were last enforced; that happens at the first put, and when these have grown
  /// to a part of the limit.
  std::optional<uint64_t> bytesSincePrune;
};

} // namespace tilus
