// Policy of the disk cache: what happens when something goes wrong.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/KernelCache.h"

namespace tilus {

KernelCache::KernelCache(CacheOptions options) : options(std::move(options)) {}

KernelCache::~KernelCache() = default;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void KernelCache::warnOnce(bool KernelCache::*flag, const llvm::Twine &text) {
  std::function<void(llvm::StringRef)> warn;
  {
    std::lock_guard lock(mutex);
    if (!(this->*flag))
      warn = options.warn;
    this->*flag = true;
  }
  if (warn)
    warn(text.str());
}

std::shared_ptr<const CacheStore> KernelCache::getStore() {
  CacheOptions used;
  {
    std::lock_guard lock(mutex);
    if (state != State::Closed || !options.isEnabled)
      return store;
    used = options;
  }
  // Files are opened without the mutex, for which a fork waits. Threads that do so at once are as good as
  // one.
  std::string reason = "expected a folder for the cache, but got no HOME; set TILUS_CACHE_DIR";
  std::shared_ptr<const CacheStore> opened;
  if (!used.root.empty()) {
    if (llvm::Expected<CacheStore> made = CacheStore::open(used))
      opened = std::make_shared<const CacheStore>(std::move(*made));
    else
      reason = llvm::toString(made.takeError());
  }
  {
    std::lock_guard lock(mutex);
    if (state != State::Closed || options.root != used.root)
      return store;
    state = opened ? State::Open : State::Off;
    store = opened;
    if (!opened)
      stats.offReason = reason;
  }
  if (!opened)
    warnOnce(&KernelCache::hasWarnedOfFailure, "kernels are not cached: " + reason);
  return opened;
}

void KernelCache::turnOff(State newState, const CacheStore *failed, llvm::StringRef reason) {
  {
    std::lock_guard lock(mutex);
    if (failed != store.get() || state == State::Off)
      return;
    state = newState;
    stats.offReason = reason.str();
    if (newState == State::Off)
      store.reset();
  }
  warnOnce(&KernelCache::hasWarnedOfFailure,
           (newState == State::Off ? "kernels are not cached: " : "new kernels are not cached: ") + reason);
}

void KernelCache::reopen(const CacheStore *failed) {
  std::lock_guard lock(mutex);
  if (store.get() != failed || state != State::Open)
    return;
  store.reset();
  state = State::Closed;
}

void KernelCache::noteRefusal(llvm::StringRef reason) {
  {
    std::lock_guard lock(mutex);
    ++stats.refusals;
  }
  warnOnce(&KernelCache::hasWarnedOfRefusal, "a cached kernel is compiled again: " + reason);
}

void KernelCache::setRoot(llvm::StringRef root) {
  std::lock_guard lock(mutex);
  if (options.root == root && state != State::Off && state != State::ReadOnly)
    return;
  options.root = root.str();
  store.reset();
  state = State::Closed;
  stats.offReason.clear();
  bytesSincePrune.reset();
  hasWarnedOfFailure = false;
}

std::string KernelCache::getRoot() {
  std::lock_guard lock(mutex);
  return options.root;
}

CacheStats KernelCache::getStats() {
  std::lock_guard lock(mutex);
  return stats;
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

std::optional<KernelCache::Artifacts> KernelCache::get(const Hash256 &key) {
  std::optional<Artifacts> artifacts = lookUp(key);
  count(artifacts ? &CacheStats::hits : &CacheStats::misses);
  return artifacts;
}

void KernelCache::count(uint64_t CacheStats::*counter) {
  std::lock_guard lock(mutex);
  ++(stats.*counter);
}

std::optional<KernelCache::Artifacts> KernelCache::lookUp(const Hash256 &key) {
  std::shared_ptr<const CacheStore> current = getStore();
  if (current) {
    llvm::Expected<Artifacts> artifacts = current->read(key);
    if (artifacts) {
      current->noteUse(key);
      return std::move(*artifacts);
    }
    FileProblem problem(artifacts.takeError());
    if (problem.fault == FileFault::Failed)
      turnOff(State::Off, current.get(), problem.text);
    if (problem.fault == FileFault::Refused) {
      // What cannot be moved is replaced by the put that follows, or shows there.
      llvm::consumeError(current->setAside(key));
      noteRefusal(problem.text);
    }
  }
  return std::nullopt;
}

llvm::Error KernelCache::tryPut(const CacheStore &current, const Hash256 &key, llvm::StringRef bytes) {
  if (llvm::Error error = current.write(key, bytes))
    return error;
  {
    std::lock_guard lock(mutex);
    ++stats.stores;
    if (bytesSincePrune && *bytesSincePrune + bytes.size() <= options.maxBytes / 16) {
      *bytesSincePrune += bytes.size();
      return llvm::Error::success();
    }
    bytesSincePrune = 0;
  }
  return current.prune(options.maxBytes, options.maxAge).takeError();
}

void KernelCache::put(const Hash256 &key, llvm::ArrayRef<KernelArtifact> artifacts) {
  for (bool isRetry : {false, true}) {
    std::shared_ptr<const CacheStore> current = getStore();
    {
      std::lock_guard lock(mutex);
      if (!current || state == State::ReadOnly)
        return;
    }
    llvm::Expected<std::string> bytes = current->encode(key, artifacts);
    if (!bytes)
      return warnOnce(&KernelCache::hasWarnedOfRefusal,
                      "a kernel is not cached: " + llvm::toString(bytes.takeError()));
    llvm::Error error = tryPut(*current, key, *bytes);
    if (!error)
      return;
    FileProblem problem(std::move(error));
    if (problem.fault != FileFault::Missing || isRetry)
      return turnOff(State::ReadOnly, current.get(), problem.text);
    reopen(current.get());
  }
}

llvm::Expected<KernelCache::Artifacts>
KernelCache::getOrCompile(const Hash256 &key, llvm::function_ref<llvm::Expected<Artifacts>()> compile) {
  if (std::optional<Artifacts> artifacts = lookUp(key)) {
    count(&CacheStats::hits);
    return std::move(*artifacts);
  }
  std::shared_ptr<const CacheStore> current = getStore();
  // Without the lock the work may be done twice, and is right all the same.
  std::optional<FileLock> lock = current ? current->lock(key, options.lockPatience) : std::nullopt;
  if (current) {
    llvm::Expected<Artifacts> artifacts = current->read(key);
    if (artifacts) {
      count(&CacheStats::hits);
      return artifacts;
    }
    llvm::consumeError(artifacts.takeError());
  }
  count(&CacheStats::misses);
  llvm::Expected<Artifacts> artifacts = compile();
  if (artifacts)
    put(key, *artifacts);
  return artifacts;
}

} // namespace tilus
