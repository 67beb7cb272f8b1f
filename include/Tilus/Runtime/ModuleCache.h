// The modules that are loaded on the devices, of which there are at most so many.
//
// Owns when a module is loaded and unloaded. A module is unloaded to make room for another, the ones that
// were not launched for a while first; never one that is in the middle of a launch, never one that a graph
// has captured, and none at all while a stream of which the cache has been told is being captured.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"
#include "Tilus/Runtime/ForkGuard.h"

#include <atomic>
#include <map>
#include <vector>

namespace tilus {

class DeviceFunction;

/// Shared by dispatchers, from any threads. It must outlive them, and the devices must outlive them too.
class ModuleCache {
public:
  /// Keeps about `limit` modules a device, at least 1.
  explicit ModuleCache(unsigned limit = 256) : limit(limit ? limit : 1) {}

  /// Loads the function unless it is loaded. Threads that ask for the same function wait for one load.
  llvm::Error load(DeviceFunction &function);
  /// Unloads the function, if it is loaded. No thread may be using it, nor do so from now on.
  void remove(DeviceFunction &function);
  /// Notes that a stream of the device is being captured.
  void noteCapture(const Device &device, cuda::StreamHandle stream);

  /// The number of loads so far: the clock by which the last use of a function is told.
  uint64_t getTime() const { return time.load(std::memory_order_relaxed); }
  /// The number of modules that are loaded on the device.
  unsigned getLoadedCount(const Device &device);
  unsigned getLimit() const { return limit; }

private:
  using Functions = std::vector<DeviceFunction *>;
  struct Capture {
    const Device *device;
    cuda::StreamHandle stream;
    /// How often it was noted anew.
    unsigned notes;
  };
  using Lock = std::unique_lock<ForkSafeMutex>;

  Functions takeVictims(Functions &functions);
  void makeRoom(Lock &lock, const Device &device);
  void unload(Lock &lock, const Device &device, llvm::ArrayRef<DeviceFunction *> victims);
  bool isCapturing(Lock &lock);

  const unsigned limit;
  ForkSafeMutex mutex;
  ForkSafeCondition changed;
  /// The loaded functions of each device.
  std::map<const Device *, Functions> loaded;
  std::atomic<uint64_t> time{0};
  std::vector<Capture> captures;
};

} // namespace tilus
