// Allocation of and copies to and from device memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/DeviceBuffer.h"

#include <utility>

namespace tilus {

DeviceBuffer::DeviceBuffer(DeviceBuffer &&other)
    : device(other.device), address(std::exchange(other.address, 0)), bytes(std::exchange(other.bytes, 0)) {}

DeviceBuffer &DeviceBuffer::operator=(DeviceBuffer &&other) {
  if (this != &other) {
    release();
    device = other.device;
    address = std::exchange(other.address, 0);
    bytes = std::exchange(other.bytes, 0);
  }
  return *this;
}

DeviceBuffer::~DeviceBuffer() { release(); }

void DeviceBuffer::release() {
  if (!address)
    return;
  llvm::Expected<ContextScope> scope = device->enter();
  if (scope)
    device->getDriver()->memFree(address);
  else
    llvm::consumeError(scope.takeError());
  address = 0;
}

llvm::Expected<DeviceBuffer> DeviceBuffer::allocate(const Device &device, uint64_t bytes) {
  DeviceBuffer buffer(device, bytes);
  if (bytes == 0)
    return std::move(buffer);
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  if (llvm::Error error =
          driver.check(driver->memAlloc(&buffer.address, bytes), "cuMemAlloc_v2",
                       "a buffer of " + llvm::Twine(bytes) + " bytes on " + device.describe()))
    return std::move(error);
  return std::move(buffer);
}

llvm::Error DeviceBuffer::checkSize(uint64_t wanted) const {
  if (wanted <= bytes)
    return llvm::Error::success();
  return llvm::createStringError("expected at most " + llvm::Twine(bytes) +
                                 " bytes to copy, the size of the device buffer, but got " +
                                 llvm::Twine(wanted));
}

llvm::Error DeviceBuffer::copyFrom(llvm::ArrayRef<uint8_t> source) {
  if (llvm::Error error = checkSize(source.size()))
    return error;
  if (source.empty())
    return llvm::Error::success();
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->memcpyHtoD(address, source.data(), source.size()), "cuMemcpyHtoD_v2",
                      "a copy of " + llvm::Twine(source.size()) + " bytes to " + device->describe());
}

llvm::Error DeviceBuffer::copyTo(llvm::MutableArrayRef<uint8_t> target) const {
  if (llvm::Error error = checkSize(target.size()))
    return error;
  if (target.empty())
    return llvm::Error::success();
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->memcpyDtoH(target.data(), address, target.size()), "cuMemcpyDtoH_v2",
                      "a copy of " + llvm::Twine(target.size()) + " bytes from " + device->describe());
}

llvm::Error DeviceBuffer::fill(uint8_t value) {
  if (bytes == 0)
    return llvm::Error::success();
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->memsetD8(address, value, bytes), "cuMemsetD8_v2",
                      "a buffer of " + llvm::Twine(bytes) + " bytes on " + device->describe());
}

llvm::Error DeviceBuffer::fillAsync(uint8_t value, cuda::StreamHandle stream) {
  if (bytes == 0)
    return llvm::Error::success();
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->memsetD8Async(address, value, bytes, stream), "cuMemsetD8Async",
                      "a buffer of " + llvm::Twine(bytes) + " bytes on " + device->describe());
}

} // namespace tilus
