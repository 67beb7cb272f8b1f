// Devices and their contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Device.h"

#include <array>

namespace tilus {

ContextScope::~ContextScope() {
  cuda::ContextHandle former = nullptr;
  if (driver)
    (*driver)->ctxPopCurrent(&former);
}

llvm::Expected<unsigned> Device::count(const CudaDriver &driver) {
  int count = 0;
  if (llvm::Error error = driver.check(driver->deviceGetCount(&count), "cuDeviceGetCount", "all devices"))
    return std::move(error);
  return static_cast<unsigned>(count);
}

llvm::Expected<std::unique_ptr<Device>> Device::open(const CudaDriver &driver, unsigned ordinal) {
  if (driver.isForeign())
    return CudaDriver::describeFork("the opening of device " + llvm::Twine(ordinal));
  llvm::Expected<unsigned> available = count(driver);
  if (!available)
    return available.takeError();
  if (ordinal >= *available)
    return llvm::createStringError("expected a device number below " + llvm::Twine(*available) +
                                   ", the number of CUDA devices, but got " + llvm::Twine(ordinal));
  std::unique_ptr<Device> device(new Device(driver, ordinal));
  if (llvm::Error error = device->initialize())
    return std::move(error);
  if (llvm::Error error = device->retainPrimary())
    return std::move(error);
  return std::move(device);
}

/// The number of the context's device.
static llvm::Expected<unsigned> findOrdinal(const CudaDriver &driver, cuda::ContextHandle context) {
  if (llvm::Error error = driver.check(driver->ctxPushCurrent(context), "cuCtxPushCurrent_v2", "a context"))
    return std::move(error);
  cuda::DeviceHandle device = 0;
  cuda::Result code = driver->ctxGetDevice(&device);
  cuda::ContextHandle former = nullptr;
  driver->ctxPopCurrent(&former);
  if (llvm::Error error = driver.check(code, "cuCtxGetDevice", "a context"))
    return std::move(error);
  llvm::Expected<unsigned> count = Device::count(driver);
  if (!count)
    return count.takeError();
  for (unsigned ordinal = 0; ordinal < *count; ++ordinal)
    if (cuda::DeviceHandle handle; driver->deviceGet(&handle, ordinal) == cuda::success && handle == device)
      return ordinal;
  return llvm::createStringError("expected a context of one of " + llvm::Twine(*count) +
                                 " CUDA devices, but got that of another");
}

llvm::Expected<std::unique_ptr<Device>> Device::adopt(const CudaDriver &driver, cuda::ContextHandle context) {
  llvm::Expected<unsigned> ordinal = findOrdinal(driver, context);
  if (!ordinal)
    return ordinal.takeError();
  std::unique_ptr<Device> device(new Device(driver, *ordinal));
  if (llvm::Error error = device->initialize())
    return std::move(error);
  // To retain a primary context that is not there would make one.
  unsigned flags = 0;
  int isActive = 0;
  if (llvm::Error error = driver.check(driver->primaryCtxGetState(device->handle, &flags, &isActive),
                                       "cuDevicePrimaryCtxGetState", device->describe()))
    return std::move(error);
  if (isActive) {
    if (llvm::Error error = device->retainPrimary())
      return std::move(error);
    if (device->context == context)
      return std::move(device);
    driver->primaryCtxRelease(device->handle);
    device->isRetained = false;
  }
  device->context = context;
  return std::move(device);
}

llvm::Error Device::initialize() {
  std::string what = "device " + std::to_string(ordinal);
  if (llvm::Error error = driver.check(driver->deviceGet(&handle, ordinal), "cuDeviceGet", what))
    return error;
  std::array<char, 256> text = {};
  if (llvm::Error error =
          driver.check(driver->deviceGetName(text.data(), text.size() - 1, handle), "cuDeviceGetName", what))
    return error;
  name = text.data();
  llvm::Expected<int> major = getAttribute(cuda::computeCapabilityMajor);
  if (!major)
    return major.takeError();
  llvm::Expected<int> minor = getAttribute(cuda::computeCapabilityMinor);
  if (!minor)
    return minor.takeError();
  capability = {*major, *minor};
  if (const TargetInfo *info = getTarget())
    defaultTarget = &Target::get(*info);
  return llvm::Error::success();
}

llvm::Error Device::retainPrimary() {
  if (llvm::Error error =
          driver.check(driver->primaryCtxRetain(&context, handle), "cuDevicePrimaryCtxRetain", describe()))
    return error;
  isRetained = true;
  return llvm::Error::success();
}

Device::~Device() {
  // The context stayed with the parent of a fork.
  if (isRetained && !driver.isForeign())
    driver->primaryCtxRelease(handle);
}

std::string Device::describe() const {
  return ("device " + llvm::Twine(ordinal) + " '" + name + "' (compute capability " +
          llvm::Twine(capability.major) + "." + llvm::Twine(capability.minor) + ")")
      .str();
}

llvm::Expected<uint64_t> Device::getTotalMemory() const {
  size_t bytes = 0;
  if (llvm::Error error =
          driver.check(driver->deviceTotalMem(&bytes, handle), "cuDeviceTotalMem_v2", describe()))
    return std::move(error);
  return bytes;
}

llvm::Expected<int> Device::getAttribute(cuda::DeviceAttribute attribute) const {
  int value = 0;
  if (llvm::Error error =
          driver.check(driver->deviceGetAttribute(&value, attribute, handle), "cuDeviceGetAttribute",
                       "attribute " + llvm::Twine(int(attribute)) + " of device " + llvm::Twine(ordinal)))
    return std::move(error);
  return value;
}

llvm::Expected<ContextScope> Device::enter() const {
  if (LLVM_UNLIKELY(driver.isForeign()))
    return CudaDriver::describeFork("the use of " + describe());
  if (LLVM_UNLIKELY(isAbandoned.load(std::memory_order_relaxed)))
    return llvm::createStringError("expected a context of " + describe() + ", but got one that is over");
  // Each launch of a thread without the context comes here: the words are made for an error alone.
  cuda::Result code = driver->ctxPushCurrent(context);
  if (LLVM_UNLIKELY(code != cuda::success))
    return driver.check(code, "cuCtxPushCurrent_v2", describe());
  return ContextScope(&driver);
}

llvm::Error Device::synchronize() const {
  llvm::Expected<ContextScope> scope = enter();
  if (!scope)
    return scope.takeError();
  return driver.check(driver->ctxSynchronize(), "cuCtxSynchronize", describe());
}

} // namespace tilus
