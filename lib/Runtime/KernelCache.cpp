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
    std::lock_guard<std::mutex> lock(mutex);
    if (!(this->*flag))
      warn = options.warn;
    this->*flag = true;
  }
  if (warn)
    warn(text.str());
}

std::shared_ptr<const CacheStore> KernelCache::getStore() {
  std::string reason = "expected a folder for the cache, but got no HOME; set TILUS_CACHE_DIR";
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (state != State::Closed || !options.isEnabled)
      return store;
    if (!options.root.empty()) {
      llvm::Expected<CacheStore> opened = CacheStore::open(options);
      if (opened) {
        state = State::Open;
        return store = std::make_shared<const CacheStore>(std::move(*opened));
      }
      reason = llvm::toString(opened.takeError());
    }
    state = State::Off;
    stats.offReason = reason;
  }
  warnOnce(&KernelCache::hasWarnedOfFailure, "kernels are not cached: " + reason);
  return nullptr;
}

void KernelCache::turnOff(State newState, const CacheStore *failed, llvm::StringRef reason) {
  {
    std::lock_guard<std::mutex> lock(mutex);
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
  std::lock_guard<std::mutex> lock(mutex);
  if (store.get() != failed || state != State::Open)
    return;
  store.reset();
  state = State::Closed;
}

void KernelCache::noteRefusal(llvm::StringRef reason) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    ++stats.refusals;
  }
  warnOnce(&KernelCache::hasWarnedOfRefusal, "a cached kernel is compiled again: " + reason);
}

void KernelCache::setRoot(llvm::StringRef root) {
  std::lock_guard<std::mutex> lock(mutex);
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
  std::lock_guard<std::mutex> lock(mutex);
  return options.root;
}

CacheStats KernelCache::getStats() {
  std::lock_guard<std::mutex> lock(mutex);
  return stats;
}

//===----------------------------------------------------------------------===//
// Use
//===----------------------------------------------------------------------===//

std::optional<KernelCache::Artifacts> KernelCache::get(const Hash256 &key) {
  std::shared_ptr<const CacheStore> current = getStore();
  if (current) {
    llvm::Expected<Artifacts> artifacts = current->read(key);
    if (artifacts) {
      current->noteUse(key);
      std::lock_guard<std::mutex> lock(mutex);
      ++stats.hits;
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
  std::lock_guard<std::mutex> lock(mutex);
  ++stats.misses;
  return std::nullopt;
}

llvm::Error KernelCache::tryPut(const CacheStore &current, const Hash256 &key, llvm::StringRef bytes) {
  if (llvm::Error error = current.write(key, bytes))
    return error;
  {
    std::lock_guard<std::mutex> lock(mutex);
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
      std::lock_guard<std::mutex> lock(mutex);
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
  if (std::optional<Artifacts> artifacts = get(key))
    return std::move(*artifacts);
  std::shared_ptr<const CacheStore> current = getStore();
  // Without the lock the work may be done twice, and is right all the same.
  std::optional<FileLock> lock = current ? current->lock(key, options.lockPatience) : std::nullopt;
  if (current) {
    llvm::Expected<Artifacts> artifacts = current->read(key);
    if (artifacts) {
      std::lock_guard<std::mutex> guard(mutex);
      --stats.misses;
      ++stats.hits;
      return artifacts;
    }
    llvm::consumeError(artifacts.takeError());
  }
  llvm::Expected<Artifacts> artifacts = compile();
  if (artifacts)
    put(key, *artifacts);
  return artifacts;
}

} // namespace tilus
