// Loading and unloading of modules.
//
// The mutex guards the lists of loaded functions and who is busy with what. The driver is called without it,
// by the one thread that has marked the functions concerned as busy.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ModuleCache.h"

#include "ThreadRecord.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

/// How much of a full device is unloaded at a time.
static constexpr unsigned victimShare = 16;

llvm::Error ModuleCache::load(DeviceFunction &function) {
  Lock lock(mutex);
  changed.wait(lock, [&] { return !function.isBusy(); });
  if (function.handle.load(std::memory_order_relaxed))
    return llvm::Error::success();
  function.setBusy(true);
  makeRoom(lock, function.device);
  lock.unlock();
  llvm::Expected<std::unique_ptr<LoadedKernel>> module =
      LoadedKernel::load(function.device, function.artifact);
  lock.lock();
  function.setBusy(false);
  changed.notifyAll();
  if (!module)
    return module.takeError();
  function.module = std::move(*module);
  function.lastUse.store(time.fetch_add(1, std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  function.handle.store(function.module->getFunction(), std::memory_order_seq_cst);
  loaded[&function.device].push_back(&function);
  return llvm::Error::success();
}

void ModuleCache::makeRoom(Lock &lock, const Device &device) {
  Functions &functions = loaded[&device];
  if (functions.size() < limit || isCapturing(lock))
    return;
  Functions victims = takeVictims(functions);
  if (!victims.empty())
    unload(lock, device, victims);
}

/// Takes the ones that were launched longest ago.
ModuleCache::Functions ModuleCache::takeVictims(Functions &functions) {
  // Launches go on while this looks, so the times are read once. Of equal ones the first that was loaded
  // counts.
  std::vector<std::pair<uint64_t, size_t>> byUse;
  for (auto [position, function] : llvm::enumerate(functions))
    if (!function->isPinned.load(std::memory_order_relaxed))
      byUse.push_back({function->lastUse.load(std::memory_order_relaxed), position});
  llvm::sort(byUse);
  byUse.resize(std::min<size_t>(byUse.size(), functions.size() - limit + std::max(1u, limit / victimShare)));
  Functions victims;
  for (auto [use, position] : byUse)
    victims.push_back(functions[position]);
  llvm::erase_if(functions, [&](DeviceFunction *function) { return llvm::is_contained(victims, function); });
  for (DeviceFunction *victim : victims) {
    victim->setBusy(true);
    victim->handle.store(nullptr, std::memory_order_seq_cst);
  }
  return victims;
}

void ModuleCache::unload(Lock &lock, const Device &device, llvm::ArrayRef<DeviceFunction *> victims) {
  lock.unlock();
  // What threads are launching stays; for what they have launched the driver waits.
  for (DeviceFunction *victim : victims)
    if (!victim->threads.isInFlight(*victim) && !victim->isPinned.load(std::memory_order_acquire))
      victim->module.reset();
  lock.lock();
  for (DeviceFunction *victim : victims) {
    victim->setBusy(false);
    if (!victim->module)
      continue;
    victim->handle.store(victim->module->getFunction(), std::memory_order_seq_cst);
    loaded[&device].push_back(victim);
  }
  changed.notifyAll();
}

void ModuleCache::remove(DeviceFunction &function) {
  Lock lock(mutex);
  changed.wait(lock, [&] { return !function.isBusy(); });
  Functions &functions = loaded[&function.device];
  functions.erase(std::remove(functions.begin(), functions.end(), &function), functions.end());
  std::unique_ptr<LoadedKernel> module = std::move(function.module);
  function.handle.store(nullptr, std::memory_order_relaxed);
  lock.unlock();
}

void ModuleCache::noteCapture(const Device &device, cuda::StreamHandle stream) {
  Lock lock(mutex);
  for (Capture &capture : captures)
    if (capture.device == &device && capture.stream == stream) {
      ++capture.notes;
      return;
    }
  captures.push_back({&device, stream, 0});
}

/// Forgets the streams that are no longer captured. The mutex is free in the meantime.
bool ModuleCache::isCapturing(Lock &lock) {
  if (captures.empty())
    return false;
  std::vector<Capture> noted = captures;
  lock.unlock();
  llvm::erase_if(noted, [](const Capture &capture) {
    llvm::Expected<ContextScope> scope = capture.device->enter();
    cuda::CaptureStatus status = cuda::captureNone;
    if (scope)
      capture.device->getDriver()->streamIsCapturing(capture.stream, &status);
    else
      llvm::consumeError(scope.takeError());
    return status != cuda::captureNone;
  });
  lock.lock();
  // What is left in `noted` has ended, unless it was noted anew.
  llvm::erase_if(captures, [&](const Capture &capture) {
    return llvm::any_of(noted, [&](const Capture &ended) {
      return capture.device == ended.device && capture.stream == ended.stream && capture.notes == ended.notes;
    });
  });
  return !captures.empty();
}

unsigned ModuleCache::getLoadedCount(const Device &device) {
  Lock lock(mutex);
  return static_cast<unsigned>(loaded[&device].size());
}

} // namespace tilus
