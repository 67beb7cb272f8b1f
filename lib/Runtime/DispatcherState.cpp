// The dispatcher's ways beside the fast path: tables, compiling, choosing, loading.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherState.h"

#include "llvm/ADT/STLExtras.h"
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tilus {

using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;

DispatcherState::DispatcherState(CallSignature callSignature, DispatcherOptions dispatcherOptions)
    : signature(std::move(callSignature)), options(std::move(dispatcherOptions)),
      isObserved(options.beforeLaunch || options.afterLaunch || options.log),
      threads(signature.getParams().size(), signature.getKeyWords()),
      modules(options.modules ? options.modules : std::make_shared<ModuleCache>()),
      workspaces(options.workspaces ? options.workspaces : std::make_shared<WorkspacePool>()) {}

std::function<void(llvm::StringRef)> getDispatchLogFromEnvironment() {
  const char *words = std::getenv("TILUS_LOG");
  llvm::SmallVector<llvm::StringRef> list;
  llvm::StringRef(words ? words : "").split(list, ',');
  if (!llvm::is_contained(list, "dispatch=debug"))
    return nullptr;
  return [](llvm::StringRef line) { std::fprintf(stderr, "%.*s\n", int(line.size()), line.data()); };
}

DispatcherState::~DispatcherState() {
  for (const std::unique_ptr<TargetTable> &table : tables)
    table->instances.visit([&](InstanceVariants &instance) {
      for (const std::unique_ptr<KernelVariant> &variant : instance.variants)
        for (DeviceFunction *function = variant->getFunctions(); function; function = function->next)
          modules->remove(*function);
    });
}

TargetTable &DispatcherState::getTable(const Target &target) {
  auto made = std::make_unique<TargetTable>(target);
  std::lock_guard lock(tablesMutex);
  for (const std::unique_ptr<TargetTable> &table : tables)
    if (&table->target == &target)
      return *table;
  tables.push_back(std::move(made));
  return *tables.back();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

Error DispatcherState::checkCall(ArrayRef<CallValue> args, const CallSite &site, const Target *target) const {
  if (Error error = signature.check(args))
    return error;
  if (!site.device)
    return llvm::createStringError("expected a device for a call of '" + signature.getName() +
                                   "', but got none");
  if (!target)
    return llvm::createStringError(
        "expected a target for a call of '" + signature.getName() + "' on " + site.device->describe() +
        ", which is not in the table of targets, but got none; name one by a scope");
  return signature.checkDevice(args, site.device->getOrdinal());
}

/// Refuses a target before anything is compiled for it.
Error DispatcherState::checkTarget(const Target &target, const Device &device) const {
  const TargetInfo &info = target.getInfo();
  const Target *own = device.getDefaultTarget();
  if (!own || info.canRunOn(device.getCapability()) || own->getInfo().supports(info))
    return Error::success();
  return llvm::createStringError("expected a target whose code runs on " + device.describe() + " for '" +
                                 signature.getName() + "', but got " + target.getName() +
                                 "; compile it for " + own->getName());
}

/// Refuses to compile, choose or load while the stream is being captured.
Error DispatcherState::checkCold(const CallSite &site) const {
  if (!site.stream)
    return Error::success();
  Expected<ContextScope> scope = site.device->enter();
  if (!scope)
    return scope.takeError();
  if (!isCapturing(site.device->getDriver(), site.stream))
    return Error::success();
  return llvm::createStringError(
      "expected '" + signature.getName() + "' to be compiled and loaded on " + site.device->describe() +
      " before a launch of it is captured, but got its first call with this target "
      "and these arguments; make one before the capture");
}

bool DispatcherState::isCapturing(const CudaDriver &driver, cuda::StreamHandle stream) {
  cuda::CaptureStatus status = cuda::captureNone;
  driver->streamIsCapturing(stream, &status);
  return status != cuda::captureNone;
}

//===----------------------------------------------------------------------===//
// Compiling and choosing
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<InstanceVariants>> DispatcherState::makeInstance(TargetTable &table,
                                                                          ArrayRef<CallValue> args) {
  std::vector<uint64_t> divisibility = signature.computeDivisibility(args);
  auto start = std::chrono::steady_clock::now();
  Expected<std::vector<Candidate>> candidates =
      options.compile({signature, table.target, args, divisibility});
  auto elapsed = std::chrono::steady_clock::now() - start;
  table.compileNanoseconds.fetch_add(std::chrono::nanoseconds(elapsed).count(), std::memory_order_relaxed);
  if (!candidates)
    return candidates.takeError();
  if (candidates->empty())
    return llvm::createStringError("expected at least one compiled kernel of '" + signature.getName() +
                                   "' for " + table.target.getName() + ", but got none");
  auto made = std::unique_ptr<InstanceVariants>(new InstanceVariants{{table.target, {}}, {}});
  for (const Candidate &candidate : *candidates) {
    if (candidate.artifact->chip != table.target.getChip())
      return llvm::createStringError("expected a kernel compiled for " + table.target.getChip() + " of '" +
                                     signature.getName() + "', but got one for " + candidate.artifact->chip);
    Expected<LaunchPlan> plan = LaunchPlan::create(signature, candidate.artifact);
    if (!plan)
      return plan.takeError();
    made->variants.push_back(std::make_unique<KernelVariant>(std::move(*plan), threads));
    table.cacheHits.fetch_add(candidate.cache == CacheOutcome::Hit, std::memory_order_relaxed);
    table.cacheMisses.fetch_add(candidate.cache == CacheOutcome::Miss, std::memory_order_relaxed);
  }
  made->instance.candidates = std::move(*candidates);
  return std::move(made);
}

Expected<InstanceVariants *> DispatcherState::getInstance(TargetTable &table, ArrayRef<CallValue> args,
                                                          ArrayRef<uint64_t> key) {
  return table.instances.get(key.take_front(signature.getJitWords()),
                             "'" + signature.getName() + "' for " + table.target.getName(),
                             [&] { return makeInstance(table, args); });
}

Expected<KernelVariant *> DispatcherState::choose(TargetTable &table, InstanceVariants &instance,
                                                  const Call &call) {
  const std::vector<Candidate> &candidates = instance.instance.candidates;
  if (candidates.size() == 1 || !options.choose)
    return instance.variants.front().get();
  LaunchBlock block;
  if (Error error = instance.variants.front()->plan.prepare(call.args, call.site.device->getOrdinal(), block))
    return std::move(error);
  llvm::SmallVector<TuneValue, 16> values;
  for (auto [index, argument] : llvm::enumerate(signature.getKernelParams()))
    values.push_back({block.slots[index], call.args[argument].getBytes()});
  Expected<unsigned> number = options.choose(
      {signature, table.target, *call.site.device, call.site.stream, candidates, values, call.key});
  if (!number)
    return number.takeError();
  if (*number >= candidates.size())
    return llvm::createStringError("expected a choice below " + llvm::Twine(candidates.size()) +
                                   ", the number of candidates of '" + signature.getName() + "', but got " +
                                   llvm::Twine(*number));
  return instance.variants[*number].get();
}

/// The kernel for a key that is not in the table: compiled and chosen by one thread, stored under the target
/// that the call began with.
Expected<KernelVariant *> DispatcherState::resolve(TargetTable &table, const Call &call) {
  auto make = [&]() -> Expected<std::unique_ptr<TableEntry>> {
    Expected<InstanceVariants *> instance = getInstance(table, call.args, call.key);
    if (!instance)
      return instance.takeError();
    Expected<KernelVariant *> kernel = choose(table, **instance, call);
    if (!kernel)
      return kernel.takeError();
    table.insert(call.hash, call.key, **kernel);
    return std::unique_ptr<TableEntry>(new TableEntry{*kernel});
  };
  Expected<TableEntry *> entry = table.entries.get(
      call.key, "the entry of '" + signature.getName() + "' for " + table.target.getName(), make);
  if (!entry)
    return entry.takeError();
  return (*entry)->kernel;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Error DispatcherState::callThroughTable(ThreadRecord &record, ArrayRef<CallValue> args, const CallSite &site,
                                        const Target *target) {
  if (LLVM_UNLIKELY(args.size() != signature.getParams().size() || !site.device || !target))
    return checkCall(args, site, target);
  uint64_t hash = signature.computeKey(args, record.key);
  ThreadTarget *counters = ThreadRegistry::find(record, *target);
  if (LLVM_UNLIKELY(!counters))
    counters = &threads.add(record, *target, getTable(*target));
  KernelVariant *kernel = counters->table->table.find(hash, record.key);
  DeviceFunction *function = kernel ? kernel->find(*site.device) : nullptr;
  if (LLVM_UNLIKELY(!function || !function->handle.load(std::memory_order_relaxed) || isObserved))
    return callInFull(record, *counters, args, site, hash);
  counters->tableHits.increment();
  return launchNew(record, {*kernel, *function, *counters}, args, site);
}

/// Whether the key needs nothing but an entry: its instance is there, and there is nothing to choose.
bool DispatcherState::isCompiled(TargetTable &table, const Call &call) {
  InstanceVariants *instance = table.instances.find(call.key.take_front(signature.getJitWords()));
  return instance && (instance->variants.size() == 1 || !options.choose);
}

Expected<DeviceFunction *> DispatcherState::prepareCold(TargetTable &table, KernelVariant *&kernel,
                                                        const Call &call) {
  const Device &device = *call.site.device;
  if (device.getDriver().isForeign())
    return CudaDriver::describeFork("a launch of '" + signature.getName() + "'");
  if (!kernel) {
    if (Error error = checkTarget(table.target, device))
      return std::move(error);
    if (!isCompiled(table, call))
      if (Error error = checkCold(call.site))
        return std::move(error);
    Expected<KernelVariant *> resolved = resolve(table, call);
    if (!resolved)
      return resolved.takeError();
    kernel = *resolved;
  }
  DeviceFunction &function = kernel->get(device);
  if (function.handle.load(std::memory_order_relaxed))
    return &function;
  if (Error error = load(function, call.site))
    return std::move(error);
  return &function;
}

/// A call that compiles, chooses or loads, or that somebody wants to hear of. Hooks and the compile function
/// may come back into the dispatcher, so that nothing here relies on the thread's record until the launch.
Error DispatcherState::callInFull(ThreadRecord &record, ThreadTarget &counters, ArrayRef<CallValue> args,
                                  const CallSite &site, uint64_t hash) {
  if (Error error = checkCall(args, site, counters.target))
    return error;
  llvm::SmallVector<uint64_t, 16> key(record.key.begin(), record.key.end());
  bool isRepeated = record.last.matches(counters.target, site, args);
  TargetTable &table = *counters.table;
  KernelVariant *kernel = table.table.find(hash, key);
  DeviceFunction *function = kernel ? kernel->find(*site.device) : nullptr;
  DispatchPath path = isRepeated ? DispatchPath::Shortcut : DispatchPath::Table;
  if (!function || !function->handle.load(std::memory_order_relaxed)) {
    Expected<DeviceFunction *> prepared = prepareCold(table, kernel, {args, site, hash, key});
    if (!prepared)
      return prepared.takeError();
    function = *prepared;
    path = DispatchPath::Slow;
  }
  ThreadCounter *const byPath[] = {&counters.shortcutHits, &counters.tableHits, &counters.slowCalls};
  byPath[static_cast<unsigned>(path)]->increment();

  LaunchInfo info = {signature, table.target, *site.device, site.stream, kernel->plan.getArtifact(), path};
  if (options.log)
    options.log(describe(info));
  if (options.beforeLaunch)
    options.beforeLaunch(info);
  if (Error error = launchNew(record, {*kernel, *function, counters}, args, site))
    return error;
  if (options.afterLaunch)
    options.afterLaunch(info);
  return Error::success();
}

std::string DispatcherState::describe(const LaunchInfo &info) const {
  static constexpr llvm::StringLiteral paths[] = {"shortcut", "table", "slow"};
  return ("dispatch: '" + signature.getName() + "' for " + info.target.getName() + " on device " +
          llvm::Twine(info.device.getOrdinal()) + ": " + paths[static_cast<unsigned>(info.path)])
      .str();
}

Error DispatcherState::launchNew(ThreadRecord &record, const Launchable &launchable, ArrayRef<CallValue> args,
                                 const CallSite &site) {
  LastLaunch &last = record.last;
  // Nothing is recorded while the block changes, and nothing is if the launch fails.
  last.device = nullptr;
  const LaunchPlan &plan = launchable.kernel.plan;
  if (Error error = plan.prepare(args, site.device->getOrdinal(), last.block))
    return error;
  if (LLVM_UNLIKELY(plan.hasTensorMaps()) && !last.block.isEmpty) {
    Expected<ContextScope> scope = site.device->enter();
    if (!scope)
      return scope.takeError();
    if (Error error = plan.encodeTensorMaps(site.device->getDriver(), last.block))
      return error;
  }
  last.function = &launchable.function;
  if (Error error = launchLast(record, site))
    return error;
  last.target = launchable.counters.target;
  last.counters = &launchable.counters;
  std::copy(args.begin(), args.end(), last.args.begin());
  last.device = site.device;
  return Error::success();
}

Error DispatcherState::load(DeviceFunction &function, const CallSite &site) {
  if (Error error = checkCold(site))
    return error;
  return modules->load(function);
}

Error DispatcherState::bindWorkspaces(LaunchBlock &block, const CallSite &site, bool isCaptured) {
  if (block.areWorkspacesBound && !isCaptured && block.workspaceStream == site.stream)
    return Error::success();
  const CudaDriver &driver = site.device->getDriver();
  unsigned long long capture = 0;
  cuda::CaptureStatus status;
  if (isCaptured)
    if (Error error = driver.check(
            driver->streamGetCaptureInfo(site.stream, &status, &capture, nullptr, nullptr, nullptr),
            "cuStreamGetCaptureInfo_v2", "a launch of '" + signature.getName() + "'"))
      return error;
  const LaunchPlan &plan = *block.plan;
  block.areWorkspacesBound = false;
  for (auto [index, workspace] : llvm::enumerate(plan.getArtifact().workspaces)) {
    Expected<uint64_t> bytes = plan.computeWorkspace(index, block);
    if (!bytes)
      return bytes.takeError();
    Expected<uint64_t> address = workspaces->get(
        {*site.device, site.stream, capture, static_cast<unsigned>(index), workspace.isClean, *bytes});
    if (!address)
      return address.takeError();
    plan.bindWorkspace(index, *address, block);
  }
  block.areWorkspacesBound = !isCaptured;
  block.workspaceStream = site.stream;
  return Error::success();
}

void DispatcherState::pin(DeviceFunction &function, cuda::StreamHandle stream) {
  function.isPinned.store(true, std::memory_order_release);
  modules->noteCapture(function.device, stream);
}

} // namespace tilus
