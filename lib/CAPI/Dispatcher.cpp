// Dispatchers of the C API: creation, calls, statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatcher.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilus;
using namespace tilus::capi;

//===----------------------------------------------------------------------===//
// Values: the same bytes in C and in C++
//===----------------------------------------------------------------------===//

static_assert(sizeof(TilusValue) == sizeof(CallValue) && alignof(TilusValue) == alignof(CallValue) &&
              std::is_trivially_copyable_v<CallValue> && std::is_standard_layout_v<CallValue>);
static_assert(static_cast<int>(ValueTag::Opaque) == TilusValueTagOpaque);
static_assert(static_cast<int>(CallParam::Kind::Pointer) == TilusParamKindPointer);
static_assert(static_cast<int>(DispatchPath::Slow) == TilusDispatchPathSlow);

static TilusValue wrapValue(const CallValue &value) {
  TilusValue wrapped;
  std::memcpy(&wrapped, &value, sizeof(wrapped));
  return wrapped;
}

TilusValue tilusValueNone() { return wrapValue(CallValue::getNone()); }
TilusValue tilusValueBool(bool value) { return wrapValue(CallValue::getBool(value)); }
TilusValue tilusValueInt(int64_t value) { return wrapValue(CallValue::getInt(value)); }
TilusValue tilusValueFloat(double value) { return wrapValue(CallValue::getFloat(value)); }
TilusValue tilusValuePointer(uint64_t address, uint64_t bytes, unsigned device) {
  return wrapValue(CallValue::getPointer(address, bytes, device));
}
TilusValue tilusValueOpaque(uint64_t id) { return wrapValue(CallValue::getOpaque(id)); }
TilusValueTag tilusValueGetTag(TilusValue value) {
  return static_cast<TilusValueTag>(unwrapValue(value).getTag());
}
uint64_t tilusValueGetBits(TilusValue value) { return unwrapValue(value).getBits(); }

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

static void add(TilusCompileResult &result, std::shared_ptr<const KernelArtifact> artifact) {
  std::string schedule = artifact->schedule;
  result.candidates.push_back({std::move(artifact), schedule, schedule});
}

std::string capi::hashSchedule(llvm::StringRef schedule) {
  if (schedule.empty())
    return "";
  return FieldHasher().add("schedule", schedule).finish().toHex().substr(0, 16);
}

Candidate capi::makeCandidate(std::shared_ptr<const KernelArtifact> artifact, llvm::StringRef schedule,
                              CacheOutcome cache) {
  // What the cache gives may have been compiled under another schedule that comes to the same kernel.
  if (artifact->schedule != schedule) {
    auto named = std::make_shared<KernelArtifact>(*artifact);
    named->schedule = schedule.str();
    artifact = std::move(named);
  }
  return {std::move(artifact), hashSchedule(schedule), schedule.str(), cache};
}

TilusError *tilusCompileResultAddFile(TilusCompileResult *result, const char *entry, const void *data,
                                      size_t size) {
  if (!result || !data)
    return makeNullError(result ? "the bytes of a file" : "the result of a compile callback");
  llvm::Expected<ArtifactList> artifacts = parseFile(makeText(data, size));
  if (!artifacts)
    return wrapError(artifacts.takeError());
  llvm::Expected<ArtifactList> found = findArtifacts(*artifacts, entry, result->target);
  if (!found)
    return wrapError(found.takeError());
  for (const std::shared_ptr<const KernelArtifact> &artifact : *found)
    add(*result, artifact);
  return nullptr;
}

TilusError *tilusCompileResultAdd(TilusCompileResult *result, const TilusArtifact *artifact) {
  if (!result || !artifact)
    return makeNullError(result ? "an artifact" : "the result of a compile callback");
  add(*result, artifact->artifact);
  return nullptr;
}

static_assert(static_cast<int>(CacheOutcome::Miss) == TilusCacheMiss);

TilusError *tilusCompileResultAddCandidate(TilusCompileResult *result, const TilusArtifact *artifact,
                                           const char *schedule, TilusCacheOutcome cache) {
  if (!result || !artifact)
    return makeNullError(result ? "an artifact" : "the result of a compile callback");
  auto outcome = static_cast<unsigned>(cache);
  if (outcome > TilusCacheMiss)
    return makeError("a TilusCacheOutcome", llvm::Twine(outcome));
  result->candidates.push_back(
      makeCandidate(artifact->artifact, schedule ? schedule : "", static_cast<CacheOutcome>(outcome)));
  return nullptr;
}

static CompileFunction makeCompileFunction(TilusCompileCallback compile, void *userData) {
  return [=](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    TilusCompileRequest wrapped = {};
    wrapped.size = sizeof(wrapped);
    wrapped.name = request.signature.getName().data();
    wrapped.target = wrapTarget(&request.target);
    wrapped.arguments = reinterpret_cast<const TilusValue *>(request.args.data());
    wrapped.divisibility = request.divisibility.data();
    wrapped.argumentCount = request.args.size();
    TilusCompileResult result = {request.target, {}};
    if (llvm::Error error = takeError(compile(userData, &wrapped, &result)))
      return std::move(error);
    return std::move(result.candidates);
  };
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

static std::function<void(const LaunchInfo &)> makeHook(TilusLaunchCallback hook, void *userData) {
  if (!hook)
    return nullptr;
  return [=](const LaunchInfo &info) {
    TilusLaunchInfo wrapped = {};
    wrapped.size = sizeof(wrapped);
    wrapped.name = info.signature.getName().data();
    wrapped.entry = info.artifact.entry.c_str();
    wrapped.target = wrapTarget(&info.target);
    wrapped.device = info.device.getOrdinal();
    wrapped.path = static_cast<TilusDispatchPath>(info.path);
    wrapped.stream = info.stream;
    hook(userData, &wrapped);
  };
}

TilusError *capi::readOptions(const TilusDispatcherOptions *data, DispatcherOptions &result) {
  TilusDispatcherOptions options;
  size_t firstSize = offsetof(TilusDispatcherOptions, tuner);
  if (TilusError *error = readInput(data, "TilusDispatcherOptions", firstSize, options))
    return error;
  void *userData = options.userData;
  result.beforeLaunch = makeHook(options.beforeLaunch, userData);
  result.afterLaunch = makeHook(options.afterLaunch, userData);
  if (auto log = options.log)
    result.log = [=](llvm::StringRef line) { log(userData, line.str().c_str()); };
  if (options.moduleLimit != 0)
    result.modules = std::make_shared<ModuleCache>(options.moduleLimit);
  if (options.tuner)
    result.choose = [chooser = options.tuner->chooser](const ChooseRequest &request) {
      return chooser->choose(request);
    };
  return nullptr;
}

TilusError *capi::readSignature(const char *name, const TilusCallParam *params, size_t paramCount,
                                std::optional<CallSignature> &result) {
  // CUDA takes 4 KiB to 32 KiB of parameters.
  constexpr size_t maxParams = 4096;
  if (!name || (!params && paramCount != 0))
    return makeNullError(name ? "parameters" : "the name of a kernel family");
  if (paramCount > maxParams)
    return makeError("at most " + llvm::Twine(maxParams) + " parameters of '" + name + "'",
                     llvm::Twine(paramCount));
  std::vector<CallParam> list;
  for (const TilusCallParam &param : llvm::ArrayRef(params, paramCount)) {
    if (!param.name)
      return makeNullError("the name of a parameter");
    auto kind = static_cast<unsigned>(param.kind);
    if (kind > TilusParamKindPointer)
      return makeError("a TilusParamKind of parameter '" + llvm::Twine(param.name) + "'", llvm::Twine(kind));
    list.push_back({param.name, static_cast<CallParam::Kind>(kind), param.divisors});
  }
  llvm::Expected<CallSignature> signature = CallSignature::create(name, std::move(list));
  if (!signature)
    return wrapError(signature.takeError());
  result.emplace(std::move(*signature));
  return nullptr;
}

TilusError *tilusDispatcherCreate(const char *name, const TilusCallParam *params, size_t paramCount,
                                  const TilusDispatcherOptions *options, TilusDispatcher **result) {
  if (!result)
    return makeNullError("a place for the dispatcher");
  *result = nullptr;
  std::optional<CallSignature> signature;
  DispatcherOptions dispatcherOptions;
  if (TilusError *error = readSignature(name, params, paramCount, signature))
    return error;
  if (TilusError *error = readOptions(options, dispatcherOptions))
    return error;
  if (!options->compile)
    return makeNullError("a compile callback");
  dispatcherOptions.compile = makeCompileFunction(options->compile, options->userData);
  *result = new TilusDispatcher(std::move(*signature), std::move(dispatcherOptions));
  return nullptr;
}

size_t tilusDispatcherGetParamCount(const TilusDispatcher *dispatcher) {
  return dispatcher ? dispatcher->get().getSignature().getParams().size() : 0;
}

TilusError *tilusDispatcherGetParam(const TilusDispatcher *dispatcher, size_t index, TilusCallParam *param) {
  if (!dispatcher || !param)
    return makeNullError(dispatcher ? "a place for the parameter" : "a dispatcher");
  llvm::ArrayRef<CallParam> params = dispatcher->get().getSignature().getParams();
  if (index >= params.size())
    return makeIndexError("parameters", params.size(), index);
  *param = {params[index].name.c_str(), static_cast<TilusParamKind>(params[index].kind),
            params[index].divisors};
  return nullptr;
}

void tilusDispatcherDestroy(TilusDispatcher *dispatcher) { delete dispatcher; }

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static const TilusInstance *wrapInstance(const JitInstance *instance) {
  return reinterpret_cast<const TilusInstance *>(instance);
}

void TilusDispatcher::add(const std::shared_ptr<const OpenDevice> &open) {
  std::lock_guard lock(mutex);
  if (!llvm::is_contained(devices, open))
    devices.push_back(open);
  recent[getSlot(*open)].store(open.get(), std::memory_order_release);
}

TilusError *tilusDispatcherCall(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                size_t argumentCount, const TilusCallSite *site) {
  if (TilusError *error = checkInput(site, "TilusCallSite"))
    return error;
  if (!dispatcher || (!arguments && argumentCount != 0))
    return makeNullError(dispatcher ? "arguments" : "a dispatcher");
  const Device *device = nullptr;
  if (site->device) {
    dispatcher->keep(site->device->open);
    device = site->device->open->device.get();
  }
  return wrapError(
      dispatcher->get().call(unwrapValues(arguments, argumentCount),
                             {device, static_cast<cuda::StreamHandle>(site->stream), unwrap(site->target)}));
}

TilusError *tilusDispatcherCompile(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                   size_t argumentCount, const TilusTarget *target,
                                   const TilusInstance **result) {
  if (!result)
    return makeNullError("a place for the instance");
  *result = nullptr;
  if (!dispatcher || (!arguments && argumentCount != 0))
    return makeNullError(dispatcher ? "arguments" : "a dispatcher");
  llvm::Expected<const JitInstance *> instance =
      dispatcher->get().compile(unwrapValues(arguments, argumentCount), unwrap(target));
  if (!instance)
    return wrapError(instance.takeError());
  *result = wrapInstance(*instance);
  return nullptr;
}

static const JitInstance *unwrapInstance(const TilusInstance *instance) {
  return reinterpret_cast<const JitInstance *>(instance);
}

const TilusTarget *tilusInstanceGetTarget(const TilusInstance *instance) {
  return instance ? wrapTarget(&unwrapInstance(instance)->target) : nullptr;
}

size_t tilusInstanceGetCount(const TilusInstance *instance) {
  return instance ? unwrapInstance(instance)->candidates.size() : 0;
}

TilusError *tilusInstanceGetArtifact(const TilusInstance *instance, size_t index, TilusArtifact **result) {
  if (!result)
    return makeNullError("a place for the artifact");
  *result = nullptr;
  if (!instance)
    return makeNullError("an instance");
  const std::vector<Candidate> &candidates = unwrapInstance(instance)->candidates;
  if (index >= candidates.size())
    return makeIndexError("candidates", candidates.size(), index);
  *result = new TilusArtifact(candidates[index].artifact);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Tables and counters
//===----------------------------------------------------------------------===//

TilusError *tilusDispatcherFind(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                size_t argumentCount, const TilusTarget *target, TilusFoundKernel *found) {
  if (!dispatcher || (!arguments && argumentCount != 0))
    return makeNullError(dispatcher ? "arguments" : "a dispatcher");
  llvm::Expected<FoundKernel> kernel =
      dispatcher->get().find(unwrapValues(arguments, argumentCount), unwrap(target));
  if (!kernel)
    return wrapError(kernel.takeError());
  TilusFoundKernel filled = {};
  filled.instance = wrapInstance(kernel->instance);
  filled.candidate = kernel->candidate;
  filled.path = static_cast<TilusDispatchPath>(kernel->path);
  return writeOutput(filled, found, "TilusFoundKernel");
}

size_t tilusDispatcherGetKeyWords(const TilusDispatcher *dispatcher) {
  return dispatcher ? dispatcher->get().getSignature().getKeyWords() : 0;
}

size_t tilusDispatcherGetJitWords(const TilusDispatcher *dispatcher) {
  return dispatcher ? dispatcher->get().getSignature().getJitWords() : 0;
}

TilusError *tilusDispatcherComputeKey(const TilusDispatcher *dispatcher, const TilusValue *arguments,
                                      size_t argumentCount, uint64_t *key) {
  if (!dispatcher || (!arguments && argumentCount != 0) || !key)
    return makeNullError(!dispatcher ? "a dispatcher" : key ? "arguments" : "a place for the key");
  const CallSignature &signature = dispatcher->get().getSignature();
  llvm::ArrayRef<CallValue> values = unwrapValues(arguments, argumentCount);
  if (llvm::Error error = signature.check(values))
    return wrapError(std::move(error));
  signature.computeKey(values, {key, signature.getKeyWords()});
  return nullptr;
}

TilusError *tilusDispatcherVisitEntries(const TilusDispatcher *dispatcher, const TilusTarget *target,
                                        TilusEntryCallback visit, void *userData) {
  if (!dispatcher || !target || !visit)
    return makeNullError(!dispatcher ? "a dispatcher" : target ? "a function" : "a target");
  for (const DispatchEntry &entry : dispatcher->get().entries(*unwrap(target)))
    visit(userData, entry.key.data(), entry.key.size(), wrapInstance(entry.instance), entry.candidate);
  return nullptr;
}

TilusError *tilusDispatcherGetStats(const TilusDispatcher *dispatcher, const TilusTarget *target,
                                    TilusTargetStats *stats) {
  if (!dispatcher || !target)
    return makeNullError(dispatcher ? "a target" : "a dispatcher");
  TilusTargetStats filled = {};
  for (const TargetStats &row : dispatcher->get().stats()) {
    if (row.target != unwrap(target))
      continue;
    filled.instances = row.instances;
    filled.entries = row.entries;
    filled.shortcutHits = row.shortcutHits;
    filled.tableHits = row.tableHits;
    filled.slowCalls = row.slowCalls;
    filled.cacheHits = row.cacheHits;
    filled.cacheMisses = row.cacheMisses;
    filled.compileMilliseconds = row.compileMilliseconds;
  }
  return writeOutput(filled, stats, "TilusTargetStats");
}
