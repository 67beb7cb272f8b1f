// A kernel on one device, loaded or not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/ForkGuard.h"
#include "Tilus/Runtime/LoadedKernel.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include <atomic>

namespace tilus {

class ThreadRegistry;

/// Lives as long as its dispatcher, whether loaded or not, so that a thread may look at it at any time.
///
/// A thread that launches it announces that first (ThreadRecord::inFlight), then reads the handle; who
/// unloads it clears the handle first, then looks for threads that announced it. Both in sequential
/// consistency, so that one of the two sees the other.
class DeviceFunction {
public:
  DeviceFunction(const Device &device, std::shared_ptr<const KernelArtifact> artifact,
                 ThreadRegistry &threads)
      : device(device), artifact(std::move(artifact)), threads(threads) {}

  const Device &device;
  const std::shared_ptr<const KernelArtifact> artifact;
  /// Who may be launching it.
  ThreadRegistry &threads;

  /// The driver's handle; null while it is not loaded.
  std::atomic<cuda::FunctionHandle> handle{nullptr};
  /// ModuleCache::getTime() of the last launch.
  std::atomic<uint64_t> lastUse{0};
  /// A graph has captured it.
  std::atomic<bool> isPinned{false};

  /// The following belong to the module cache: the module, under its mutex or while busy; whether a thread is
  /// loading or unloading it, under its mutex.
  std::unique_ptr<LoadedKernel> module;
  bool isBusy() const { return isMarked && markGeneration == getForkGeneration(); }
  void setBusy(bool isBusyNow) {
    isMarked = isBusyNow;
    markGeneration = getForkGeneration();
  }

  /// The next function of the same kernel, on another device.
  DeviceFunction *next = nullptr;

private:
  /// Of a thread that a fork left behind nothing comes any more.
  bool isMarked = false;
  unsigned markGeneration = 0;
};

} // namespace tilus
