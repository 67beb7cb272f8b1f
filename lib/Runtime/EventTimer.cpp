// Streams and timing by events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/EventTimer.h"

#include <utility>

namespace tilus {

//===----------------------------------------------------------------------===//
// Stream
//===----------------------------------------------------------------------===//

/// The flag of a stream that does not wait for the default stream.
static constexpr unsigned nonBlocking = 1;

llvm::Expected<Stream> Stream::create(const Device &device) {
  Stream stream(device);
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  if (llvm::Error error = driver.check(driver->streamCreate(&stream.handle, nonBlocking), "cuStreamCreate",
                                       device.describe()))
    return std::move(error);
  return std::move(stream);
}

Stream::Stream(Stream &&other) : device(other.device), handle(std::exchange(other.handle, nullptr)) {}

Stream::~Stream() {
  if (!handle)
    return;
  llvm::Expected<ContextScope> scope = device->enter();
  if (scope)
    device->getDriver()->streamDestroy(handle);
  else
    llvm::consumeError(scope.takeError());
}

llvm::Error Stream::synchronize() const {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->streamSynchronize(handle), "cuStreamSynchronize", device->describe());
}

//===----------------------------------------------------------------------===//
// EventTimer
//===----------------------------------------------------------------------===//

llvm::Expected<EventTimer> EventTimer::create(const Device &device) {
  EventTimer timer(device);
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  for (cuda::EventHandle *event : {&timer.begin, &timer.end})
    if (llvm::Error error = driver.check(driver->eventCreate(event, 0), "cuEventCreate", device.describe()))
      return std::move(error);
  return std::move(timer);
}

EventTimer::EventTimer(EventTimer &&other)
    : device(other.device), begin(std::exchange(other.begin, nullptr)),
      end(std::exchange(other.end, nullptr)) {}

EventTimer::~EventTimer() {
  if (!begin && !end)
    return;
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope) {
    llvm::consumeError(scope.takeError());
    return;
  }
  for (cuda::EventHandle event : {begin, end})
    if (event)
      device->getDriver()->eventDestroy(event);
}

llvm::Error EventTimer::record(cuda::EventHandle event, cuda::StreamHandle stream) {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  return driver.check(driver->eventRecord(event, stream), "cuEventRecord", device->describe());
}

llvm::Error EventTimer::start(cuda::StreamHandle stream) { return record(begin, stream); }

llvm::Error EventTimer::stop(cuda::StreamHandle stream) { return record(end, stream); }

llvm::Expected<bool> EventTimer::isDone() const {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  cuda::Result code = driver->eventQuery(end);
  if (code == cuda::notReady)
    return false;
  if (llvm::Error error = driver.check(code, "cuEventQuery", device->describe()))
    return std::move(error);
  return true;
}

llvm::Expected<float> EventTimer::getMilliseconds() const {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  if (llvm::Error error =
          driver.check(driver->eventSynchronize(end), "cuEventSynchronize", device->describe()))
    return std::move(error);
  float milliseconds = 0;
  if (llvm::Error error = driver.check(driver->eventElapsedTime(&milliseconds, begin, end),
                                       "cuEventElapsedTime", device->describe()))
    return std::move(error);
  return milliseconds;
}

} // namespace tilus
