// Scripts of the C API: kernels with a disk cache, and the folders of a script.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CompilerHandles.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

TilusError *tilusKernelSourceParse(const TilusModuleSource *source, const char *kernel,
                                   TilusKernelSource **result) {
  if (!result)
    return makeNullError("a place for the kernel");
  *result = nullptr;
  SourceText text;
  if (TilusError *error = readSource(source, text))
    return error;
  llvm::Expected<KernelSource> parsed = KernelSource::parse(text.data, kernel ? kernel : "", text.fileName);
  if (!parsed)
    return wrapError(parsed.takeError());
  *result = new TilusKernelSource{std::move(*parsed)};
  return nullptr;
}

const char *tilusKernelSourceGetName(const TilusKernelSource *source) {
  return source ? source->source.getName().data() : "";
}

TilusBytes tilusKernelSourceGetText(const TilusKernelSource *source) {
  return source ? makeBytes(source->source.getText()) : TilusBytes();
}

void tilusKernelSourceDestroy(TilusKernelSource *source) { delete source; }

TilusError *tilusCompileKernel(const TilusCompiler *compiler, const TilusKernelSource *source,
                               const TilusTarget *target, TilusCompiledKernel *result) {
  if (!compiler || !source || !target)
    return makeNullError(!compiler ? "a compiler" : source ? "a target" : "a kernel");
  llvm::Expected<CallSignature> signature = source->source.makeSignature({{}, /*divisors=*/0});
  if (!signature)
    return wrapError(signature.takeError());
  std::vector<CallValue> args(signature->getParams().size());
  std::vector<uint64_t> divisibility(args.size(), 1);
  std::optional<Hash256> key;
  llvm::Expected<Candidate> candidate =
      compiler->jit->compile(source->source, {*signature, *unwrap(target), args, divisibility}, &key);
  if (!candidate)
    return wrapError(candidate.takeError());
  TilusCompiledKernel filled = {};
  filled.cache = static_cast<TilusCacheOutcome>(candidate->cache);
  if (key)
    std::strcpy(filled.key, key->toHex().c_str());
  auto artifact = std::make_unique<TilusArtifact>(candidate->artifact);
  filled.artifact = artifact.get();
  if (TilusError *error = writeOutput(filled, result, "TilusCompiledKernel"))
    return error;
  artifact.release();
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What is kept of a script
//===----------------------------------------------------------------------===//

TilusError *tilusScriptStoreCreate(const TilusCompiler *compiler, const TilusScriptIdentity *identity,
                                   TilusScriptStore **result) {
  if (!result)
    return makeNullError("a place for the store");
  *result = nullptr;
  if (!compiler)
    return makeNullError("a compiler");
  if (TilusError *error = checkInput(identity, "TilusScriptIdentity"))
    return error;
  if (!identity->name || !identity->program.data)
    return makeNullError(identity->name ? "the text of a script" : "the name of a script");
  ScriptIdentity kept;
  kept.name = identity->name;
  kept.program = makeText(identity->program.data, identity->program.size).str();
  kept.options = makeText(identity->options.data, identity->options.size).str();
  kept.tilusBuild = compiler->jit->getBuild();
  *result = new TilusScriptStore{compiler->jit->getOptions().cache, std::move(kept)};
  return nullptr;
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
