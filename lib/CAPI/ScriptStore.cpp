// What is kept on disk of scripts: the cache that the C API opens, and the folders of a script in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus-c/ScriptStore.h"
#include "Dispatcher.h"
#include "Tilus/Support/BuildId.h"

#include "llvm/ADT/STLExtras.h"

#include <atomic>
#include <cstdio>

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Caches
//===----------------------------------------------------------------------===//

/// Tells of trouble with caches, once in a process: the result is right, and compilers may be many.
static void warnOfCache(llvm::StringRef text) {
  static std::atomic<bool> hasWarned{false};
  if (!hasWarned.exchange(true))
    std::fprintf(stderr, "tilus: warning: %.*s\n", int(text.size()), text.data());
}

std::shared_ptr<KernelCache> capi::openCache(llvm::StringRef option) {
  if (option == "off")
    return nullptr;
  llvm::Expected<CacheOptions> options = CacheOptions::fromEnvironment();
  if (!options) {
    warnOfCache(("kernels are not cached: " + llvm::toString(options.takeError())));
    return nullptr;
  }
  if (option != "on") {
    options->isEnabled = true;
    options->root = option.str();
  }
  options->warn = warnOfCache;
  return std::make_shared<KernelCache>(std::move(*options));
}

TilusError *tilusCacheOpen(const char *option, TilusCache **result) {
  if (!result)
    return makeNullError("a place for the cache");
  *result = nullptr;
  if (!option)
    return makeNullError("the option of a cache");
  *result = new TilusCache{openCache(option)};
  return nullptr;
}

bool tilusCacheIsUsable(const TilusCache *cache) { return cache && cache->cache && cache->cache->getStore(); }

void tilusCacheDestroy(TilusCache *cache) { delete cache; }

TilusError *tilusReadCompilerBuild(const char *library, TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the build");
  *result = nullptr;
  if (!library)
    return makeNullError("the path of a library");
  std::string buildId = readBuildIdOfFile(library);
  if (buildId.empty())
    return makeError("a library with a build id", "'" + llvm::Twine(library) + "'");
  *result = new TilusBlob{describeBuild(tilusGetVersionString(), buildId)};
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The folders of a script
//===----------------------------------------------------------------------===//

llvm::Expected<std::optional<ScriptDirectory>> TilusScriptStore::open(const Target &target) const {
  std::shared_ptr<const CacheStore> store = cache ? cache->getStore() : nullptr;
  if (!store)
    return std::nullopt;
  ScriptIdentity full = identity;
  full.triple = target.getInfo().triple.str();
  full.chip = target.getChip().str();
  full.features = target.getFeatures().str();
  llvm::Expected<ScriptDirectory> folder = ScriptDirectory::open(std::move(store), full);
  if (!folder)
    return folder.takeError();
  return std::optional(std::move(*folder));
}

TilusError *capi::makeStore(std::shared_ptr<KernelCache> cache, std::string build,
                            const TilusScriptIdentity *identity, TilusScriptStore **result) {
  if (!result)
    return makeNullError("a place for the store");
  *result = nullptr;
  if (TilusError *error = checkInput(identity, "TilusScriptIdentity"))
    return error;
  if (!identity->name || !identity->program.data)
    return makeNullError(identity->name ? "the text of a script" : "the name of a script");
  ScriptIdentity kept;
  kept.name = identity->name;
  kept.program = makeText(identity->program.data, identity->program.size).str();
  kept.options = makeText(identity->options.data, identity->options.size).str();
  kept.tilusBuild = std::move(build);
  *result = new TilusScriptStore{std::move(cache), std::move(kept)};
  return nullptr;
}

TilusError *tilusScriptStoreOpen(const TilusCache *cache, const char *build,
                                 const TilusScriptIdentity *identity, TilusScriptStore **result) {
  if (result)
    *result = nullptr;
  if (!cache || !build)
    return makeNullError(cache ? "the build of a compiler" : "a cache");
  return makeStore(cache->cache, build, identity, result);
}

TilusError *tilusScriptStoreGetPath(const TilusScriptStore *store, const TilusTarget *target,
                                    TilusBlob **result) {
  if (!result)
    return makeNullError("a place for the path");
  *result = nullptr;
  if (!store || !target)
    return makeNullError(store ? "a target" : "a store");
  llvm::Expected<std::optional<ScriptDirectory>> folder = store->open(*unwrap(target));
  if (!folder)
    return wrapError(folder.takeError());
  *result = new TilusBlob{*folder ? (*folder)->getPath().str() : ""};
  return nullptr;
}

static Hash256 hashKey(TilusBytes key) {
  return FieldHasher().add("key", makeText(key.data, key.size)).finish();
}

/// The candidates of a specialisation; none if one of them is not there any more.
static std::vector<Candidate> load(KernelCache &cache, const Specialization &stored,
                                   llvm::ArrayRef<const char *> schedules) {
  std::vector<Candidate> candidates;
  for (const SpecializedKernel &kernel : stored.kernels) {
    std::optional<KernelCache::Artifacts> artifacts = cache.get(kernel.artifact);
    if (!artifacts || artifacts->size() != 1)
      return {};
    auto artifact = std::make_shared<const KernelArtifact>(std::move(artifacts->front()));
    const auto *schedule =
        llvm::find_if(schedules, [&](const char *text) { return hashSchedule(text) == kernel.schedule; });
    if (schedule == schedules.end())
      return {};
    candidates.push_back(makeCandidate(std::move(artifact), *schedule, CacheOutcome::Hit));
  }
  return candidates;
}

TilusError *tilusScriptStoreFind(const TilusScriptStore *store, const TilusTarget *target, TilusBytes key,
                                 const char *const *schedules, size_t scheduleCount,
                                 TilusCompileResult *result, bool *isFound) {
  if (!isFound)
    return makeNullError("a place for the answer");
  *isFound = false;
  if (!store || !target || !result || !schedules)
    return makeNullError(!store ? "a store" : !target ? "a target" : result ? "schedules" : "a result");
  llvm::Expected<std::optional<ScriptDirectory>> folder = store->open(*unwrap(target));
  if (!folder)
    return wrapError(folder.takeError());
  if (!*folder)
    return nullptr;
  Hash256 hash = hashKey(key);
  for (const Specialization &stored : (*folder)->loadSpecializations().value) {
    if (stored.key != hash)
      continue;
    std::vector<Candidate> found = load(*store->cache, stored, {schedules, scheduleCount});
    *isFound = !found.empty();
    llvm::append_range(result->candidates, found);
  }
  return nullptr;
}

TilusError *tilusScriptStoreSave(const TilusScriptStore *store, const TilusTarget *target, TilusBytes key,
                                 const TilusStoredKernel *kernels, size_t kernelCount) {
  if (!store || !target || !kernels)
    return makeNullError(!store ? "a store" : target ? "kernels" : "a target");
  Specialization kept = {hashKey(key), {}};
  for (const TilusStoredKernel &kernel : llvm::ArrayRef(kernels, kernelCount)) {
    std::optional<Hash256> artifact = Hash256::parseHex(kernel.key ? kernel.key : "");
    if (!artifact)
      return makeError("the key of a kernel in the cache",
                       "'" + llvm::Twine(kernel.key ? kernel.key : "") + "'");
    kept.kernels.push_back({hashSchedule(kernel.schedule ? kernel.schedule : ""), *artifact});
  }
  llvm::Expected<std::optional<ScriptDirectory>> folder = store->open(*unwrap(target));
  if (!folder)
    return wrapError(folder.takeError());
  return *folder ? wrapError((*folder)->saveSpecialization(kept)) : nullptr;
}

void tilusScriptStoreDestroy(TilusScriptStore *store) { delete store; }
