// The fake driver's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstdlib>
#include <cstring>

using namespace fake;

/// The driver aligns what it allocates to this.
static constexpr size_t alignment = 256;

/// CU_MEMORYTYPE_DEVICE.
static constexpr unsigned deviceMemory = 2;

extern "C" {

int cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  Call call("cuMemAlloc_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (bytes == 0)
    return invalidValue;
  if (bytes > size_t(1) << 30)
    return outOfMemory;
  void *memory = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  std::memset(memory, 0xcd, bytes);
  *address = reinterpret_cast<DevicePointer>(memory);
  call.state.buffers[*address] = {call.context->device, bytes, static_cast<unsigned char *>(memory)};
  return ok;
}

int cuMemFree_v2(DevicePointer address) {
  Call call("cuMemFree_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  auto found = call.state.buffers.find(address);
  if (found == call.state.buffers.end())
    return invalidValue;
  std::free(found->second.memory);
  call.state.buffers.erase(found);
  return ok;
}

int cuMemAllocHost_v2(void **memory, size_t bytes) {
  Call call("cuMemAllocHost_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (bytes == 0)
    return invalidValue;
  call.state.hostBuffers[ *memory = std::malloc(bytes)] = bytes;
  return ok;
}

int cuMemFreeHost(void *memory) {
  Call call("cuMemFreeHost", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (!call.state.hostBuffers.erase(memory))
    return invalidValue;
  std::free(memory);
  return ok;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  Call call("cuMemcpyHtoD_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  unsigned char *memory = call.state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(memory, from, bytes);
  return ok;
}

int cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  Call call("cuMemcpyDtoH_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  const unsigned char *memory = call.state.find(from, bytes);
  if (!memory)
    return invalidValue;
  call.state.copyToHost(to, memory, bytes);
  return ok;
}

int cuMemcpyDtoHAsync_v2(void *to, DevicePointer from, size_t bytes, StreamHandle stream) {
  Call call("cuMemcpyDtoHAsync_v2", currentContext);
  if (call.code)
    return call.code;
  const unsigned char *memory = call.state.find(from, bytes);
  if (!memory || (stream && !call.state.streams.count(stream)))
    return memory ? invalidHandle : invalidValue;
  call.state.copyToHost(to, memory, bytes);
  return ok;
}

int cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream) {
  Call call("cuMemcpyDtoDAsync_v2", currentContext);
  if (call.code)
    return call.code;
  if (stream && !call.state.streams.count(stream))
    return invalidHandle;
  unsigned char *target = call.state.find(to, bytes);
  const unsigned char *source = call.state.find(from, bytes);
  if (!target || !source)
    return invalidValue;
  std::memmove(target, source, bytes);
  return ok;
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t bytes) {
  Call call("cuMemsetD8_v2", currentContext | noCapture);
  if (call.code)
    return call.code;
  unsigned char *memory = call.state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memset(memory, value, bytes);
  return ok;
}

int cuMemsetD8Async(DevicePointer to, unsigned char value, size_t bytes, StreamHandle stream) {
  Call call("cuMemsetD8Async", currentContext);
  if (call.code)
    return call.code;
  unsigned char *memory = call.state.find(to, bytes);
  if (!memory || (stream && !call.state.streams.count(stream)))
    return memory ? invalidHandle : invalidValue;
  std::memset(memory, value, bytes);
  return ok;
}

int cuMemGetAddressRange_v2(DevicePointer *base, size_t *bytes, DevicePointer address) {
  Call call("cuMemGetAddressRange_v2", currentContext);
  if (call.code)
    return call.code;
  auto found = call.state.findBuffer(address);
  if (found == call.state.buffers.end())
    return notFound;
  *base = found->first;
  *bytes = found->second.bytes;
  return ok;
}

int cuPointerGetAttribute(void *value, PointerAttribute attribute, DevicePointer address) {
  Call call("cuPointerGetAttribute");
  if (call.code)
    return call.code;
  auto found = call.state.findBuffer(address);
  if (found == call.state.buffers.end())
    return invalidValue;
  int device = found->second.device;
  switch (attribute) {
  case pointerContext:
    *static_cast<ContextHandle *>(value) = call.state.contexts[device].get();
    return ok;
  case pointerMemoryType:
    *static_cast<unsigned *>(value) = deviceMemory;
    return ok;
  case pointerDeviceOrdinal:
    *static_cast<int *>(value) = device;
    return ok;
  }
  return invalidValue;
}

} // extern "C"
