// A CUDA device with a context: its primary one, or one that somebody else made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CudaDriver.h"
#include "Tilus/Runtime/Target.h"
#include "Tilus/TargetInfo/TargetInfo.h"

#include <atomic>

namespace tilus {

/// Keeps a context current on the calling thread and restores the former one at its end.
class ContextScope {
public:
  ContextScope(ContextScope &&other) : driver(other.driver) { other.driver = nullptr; }
  ContextScope(const ContextScope &) = delete;
  ContextScope &operator=(const ContextScope &) = delete;
  ContextScope &operator=(ContextScope &&) = delete;
  ~ContextScope();

private:
  friend class Device;
  explicit ContextScope(const CudaDriver *driver) : driver(driver) {}

  const CudaDriver *driver;
};

/// As long as it lives, the calls of this thread that allocate, load, copy or wait leave the captures of
/// streams that are under way valid, all but a wait for a whole context. Only for work that no such stream
/// depends on.
class RelaxedCaptureScope {
public:
  explicit RelaxedCaptureScope(const CudaDriver &driver) : driver(driver) {
    driver->exchangeCaptureMode(&mode);
  }
  RelaxedCaptureScope(const RelaxedCaptureScope &) = delete;
  RelaxedCaptureScope &operator=(const RelaxedCaptureScope &) = delete;
  ~RelaxedCaptureScope() { driver->exchangeCaptureMode(&mode); }

private:
  const CudaDriver &driver;
  /// The mode to set; then the former one.
  cuda::CaptureMode mode = cuda::captureRelaxed;
};

/// An opened device: it holds a reference to the device's primary context, the one that frameworks use too.
/// Threads may share it. Buffers, kernels and timers of a device must be destroyed before it.
class Device {
public:
  /// The number of devices that the driver shows.
  static llvm::Expected<unsigned> count(const CudaDriver &driver);
  /// Opens device number `ordinal`.
  static llvm::Expected<std::unique_ptr<Device>> open(const CudaDriver &driver, unsigned ordinal);
  /// The device of a context that somebody else made, and will end. Holds a reference to it only if it is the
  /// device's primary one.
  static llvm::Expected<std::unique_ptr<Device>> adopt(const CudaDriver &driver, cuda::ContextHandle context);
  ~Device();
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  const CudaDriver &getDriver() const { return driver; }
  unsigned getOrdinal() const { return ordinal; }
  llvm::StringRef getName() const { return name; }
  ComputeCapability getCapability() const { return capability; }
  /// The most specific target of the device, or null for one that the target table does not know.
  const TargetInfo *getTarget() const { return lookupTarget(capability); }
  /// The same as an interned target: the one of calls that name none.
  const Target *getDefaultTarget() const { return defaultTarget; }
  /// The device in words: "device 0 'NVIDIA H200' (compute capability 9.0)".
  std::string describe() const;

  /// The device memory in bytes.
  llvm::Expected<uint64_t> getTotalMemory() const;
  llvm::Expected<int> getAttribute(cuda::DeviceAttribute attribute) const;

  /// The context, and whether it is the device's primary one.
  cuda::ContextHandle getContext() const { return context; }
  bool isPrimary() const { return isRetained; }
  /// Says that the context is over, or may be: what is on it is left alone from now on.
  void abandon() { isAbandoned.store(true, std::memory_order_relaxed); }
  /// Makes the context current on this thread for as long as the scope lives. Fails if it was abandoned.
  llvm::Expected<ContextScope> enter() const;
  /// Waits for all work on the device; reports what failed since the last wait.
  llvm::Error synchronize() const;

private:
  Device(const CudaDriver &driver, unsigned ordinal) : driver(driver), ordinal(ordinal) {}
  llvm::Error initialize();
  llvm::Error retainPrimary();

  const CudaDriver &driver;
  unsigned ordinal;
  cuda::DeviceHandle handle = 0;
  cuda::ContextHandle context = nullptr;
  std::string name;
  ComputeCapability capability = {0, 0};
  const Target *defaultTarget = nullptr;
  bool isRetained = false;
  std::atomic<bool> isAbandoned{false};
};

} // namespace tilus
