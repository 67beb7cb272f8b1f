// Drivers, devices, memory and streams of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handles.h"

#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/EventTimer.h"

using namespace tilus;
using namespace tilus::capi;

struct TilusBuffer {
  std::shared_ptr<const OpenDevice> open;
  DeviceBuffer buffer;
};

struct TilusStream {
  std::shared_ptr<const OpenDevice> open;
  Stream stream;
};

struct TilusTimer {
  std::shared_ptr<const OpenDevice> open;
  EventTimer timer;
};

//===----------------------------------------------------------------------===//
// Drivers and devices
//===----------------------------------------------------------------------===//

TilusError *tilusDriverLoad(const char *path, TilusDriver **result) {
  if (!result)
    return makeNullError("a place for the driver");
  *result = nullptr;
  llvm::Expected<std::unique_ptr<CudaDriver>> driver =
      CudaDriver::load(path ? path : CudaDriver::getDefaultPath());
  if (!driver)
    return wrapError(driver.takeError());
  *result = new TilusDriver{std::move(*driver)};
  return nullptr;
}

const char *tilusDriverGetPath(const TilusDriver *driver) {
  return driver ? driver->driver->getPath().data() : "";
}

int tilusDriverGetVersion(const TilusDriver *driver) { return driver ? driver->driver->getVersion() : 0; }

TilusError *tilusDriverGetDeviceCount(const TilusDriver *driver, unsigned *count) {
  if (!count)
    return makeNullError("a place for the number of devices");
  *count = 0;
  if (!driver)
    return makeNullError("a driver");
  llvm::Expected<unsigned> found = Device::count(*driver->driver);
  if (!found)
    return wrapError(found.takeError());
  *count = *found;
  return nullptr;
}

void tilusDriverDestroy(TilusDriver *driver) { delete driver; }

llvm::Expected<std::shared_ptr<const OpenDevice>> TilusDriver::open(unsigned ordinal) const {
  auto find = [&] {
    auto found = devices.find(ordinal);
    // What was opened before a fork is of no use after it.
    return found == devices.end() || driver->isForeign() ? nullptr : found->second.lock();
  };
  {
    std::lock_guard lock(mutex);
    if (std::shared_ptr<const OpenDevice> known = find())
      return known;
  }
  llvm::Expected<std::unique_ptr<Device>> device = Device::open(*driver, ordinal);
  if (!device)
    return device.takeError();
  auto opened = std::make_shared<const OpenDevice>(OpenDevice{driver, std::move(*device)});
  std::lock_guard lock(mutex);
  std::shared_ptr<const OpenDevice> known = find();
  if (!known)
    devices[ordinal] = opened;
  return known ? known : opened;
}

TilusError *tilusDeviceOpen(const TilusDriver *driver, unsigned ordinal, TilusDevice **result) {
  if (!result)
    return makeNullError("a place for the device");
  *result = nullptr;
  if (!driver)
    return makeNullError("a driver");
  llvm::Expected<std::shared_ptr<const OpenDevice>> open = driver->open(ordinal);
  if (!open)
    return wrapError(open.takeError());
  *result = new TilusDevice{std::move(*open)};
  return nullptr;
}

const char *tilusDeviceGetName(const TilusDevice *device) {
  return device ? device->open->device->getName().data() : "";
}

unsigned tilusDeviceGetOrdinal(const TilusDevice *device) {
  return device ? device->open->device->getOrdinal() : 0;
}

void tilusDeviceGetCapability(const TilusDevice *device, int *major, int *minor) {
  ComputeCapability capability = device ? device->open->device->getCapability() : ComputeCapability{0, 0};
  if (major)
    *major = capability.major;
  if (minor)
    *minor = capability.minor;
}

const TilusTarget *tilusDeviceGetDefaultTarget(const TilusDevice *device) {
  return device ? wrapTarget(device->open->device->getDefaultTarget()) : nullptr;
}

/// Puts what the device tells in its place.
template <typename T> static TilusError *tell(llvm::Expected<T> answer, T *result) {
  if (!answer)
    return wrapError(answer.takeError());
  *result = *answer;
  return nullptr;
}

TilusError *tilusDeviceGetAttribute(const TilusDevice *device, int attribute, int *result) {
  if (!device || !result)
    return makeNullError(device ? "a place for the attribute" : "a device");
  return tell(device->open->device->getAttribute(static_cast<cuda::DeviceAttribute>(attribute)), result);
}

TilusError *tilusDeviceGetTotalMemory(const TilusDevice *device, uint64_t *result) {
  if (!device || !result)
    return makeNullError(device ? "a place for the number of bytes" : "a device");
  return tell(device->open->device->getTotalMemory(), result);
}

TilusError *tilusDeviceSynchronize(const TilusDevice *device) {
  return device ? wrapError(device->open->device->synchronize()) : makeNullError("a device");
}

void tilusDeviceDestroy(TilusDevice *device) { delete device; }

//===----------------------------------------------------------------------===//
// Memory and streams
//===----------------------------------------------------------------------===//

TilusError *tilusBufferAllocate(const TilusDevice *device, uint64_t bytes, TilusBuffer **result) {
  if (!result)
    return makeNullError("a place for the buffer");
  *result = nullptr;
  if (!device)
    return makeNullError("a device");
  llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(*device->open->device, bytes);
  if (!buffer)
    return wrapError(buffer.takeError());
  *result = new TilusBuffer{device->open, std::move(*buffer)};
  return nullptr;
}

uint64_t tilusBufferGetAddress(const TilusBuffer *buffer) { return buffer ? buffer->buffer.getAddress() : 0; }

uint64_t tilusBufferGetBytes(const TilusBuffer *buffer) { return buffer ? buffer->buffer.getBytes() : 0; }

TilusError *tilusBufferCopyFrom(TilusBuffer *buffer, const void *source, size_t size) {
  if (!buffer || (!source && size != 0))
    return makeNullError(buffer ? "bytes to copy" : "a buffer");
  return wrapError(buffer->buffer.copyFrom({static_cast<const uint8_t *>(source), size}));
}

TilusError *tilusBufferCopyTo(const TilusBuffer *buffer, void *target, size_t size) {
  if (!buffer || (!target && size != 0))
    return makeNullError(buffer ? "a place for the bytes" : "a buffer");
  return wrapError(buffer->buffer.copyTo({static_cast<uint8_t *>(target), size}));
}

TilusError *tilusBufferFill(TilusBuffer *buffer, uint8_t value) {
  return buffer ? wrapError(buffer->buffer.fill(value)) : makeNullError("a buffer");
}

void tilusBufferDestroy(TilusBuffer *buffer) { delete buffer; }

TilusError *tilusStreamCreate(const TilusDevice *device, TilusStream **result) {
  if (!result)
    return makeNullError("a place for the stream");
  *result = nullptr;
  if (!device)
    return makeNullError("a device");
  llvm::Expected<Stream> stream = Stream::create(*device->open->device);
  if (!stream)
    return wrapError(stream.takeError());
  *result = new TilusStream{device->open, std::move(*stream)};
  return nullptr;
}

void *tilusStreamGetHandle(const TilusStream *stream) {
  return stream ? stream->stream.getHandle() : nullptr;
}

TilusError *tilusStreamSynchronize(const TilusStream *stream) {
  return stream ? wrapError(stream->stream.synchronize()) : makeNullError("a stream");
}

void tilusStreamDestroy(TilusStream *stream) { delete stream; }

//===----------------------------------------------------------------------===//
// Timers
//===----------------------------------------------------------------------===//

TilusError *tilusTimerCreate(const TilusDevice *device, TilusTimer **result) {
  if (!result)
    return makeNullError("a place for the timer");
  *result = nullptr;
  if (!device)
    return makeNullError("a device");
  llvm::Expected<EventTimer> timer = EventTimer::create(*device->open->device);
  if (!timer)
    return wrapError(timer.takeError());
  *result = new TilusTimer{device->open, std::move(*timer)};
  return nullptr;
}

TilusError *tilusTimerStart(TilusTimer *timer, void *stream) {
  return timer ? wrapError(timer->timer.start(static_cast<cuda::StreamHandle>(stream)))
               : makeNullError("a timer");
}

TilusError *tilusTimerStop(TilusTimer *timer, void *stream) {
  return timer ? wrapError(timer->timer.stop(static_cast<cuda::StreamHandle>(stream)))
               : makeNullError("a timer");
}

TilusError *tilusTimerGetMilliseconds(const TilusTimer *timer, float *result) {
  if (!timer || !result)
    return makeNullError(timer ? "a place for the milliseconds" : "a timer");
  return tell(timer->timer.getMilliseconds(), result);
}

void tilusTimerDestroy(TilusTimer *timer) { delete timer; }
