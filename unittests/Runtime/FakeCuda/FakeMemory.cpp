// The fake driver's memory, streams and events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstring>

using namespace fake;

extern "C" {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemAlloc_v2")
  if (bytes == 0)
    return invalidValue;
  if (bytes > size_t(1) << 30)
    return outOfMemory;
  std::vector<unsigned char> memory(bytes);
  *address = reinterpret_cast<DevicePointer>(memory.data());
  state.buffers[*address] = std::move(memory);
  return ok;
}

int cuMemFree_v2(DevicePointer address) {
  FAKE_BEGIN_IN_CONTEXT("cuMemFree_v2")
  return state.buffers.erase(address) ? ok : invalidValue;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemcpyHtoD_v2")
  unsigned char *memory = state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(memory, from, bytes);
  return ok;
}

int cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemcpyDtoH_v2")
  const unsigned char *memory = state.find(from, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(to, memory, bytes);
  return ok;
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemsetD8_v2")
  unsigned char *memory = state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memset(memory, value, bytes);
  return ok;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

int cuStreamCreate(StreamHandle *stream, unsigned flags) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamCreate")
  *stream = new StreamObject;
  state.streams.insert(*stream);
  return ok;
}

int cuStreamDestroy_v2(StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamDestroy_v2")
  return destroy(state.streams, stream);
}

int cuStreamSynchronize(StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamSynchronize")
  return !stream || state.streams.count(stream) ? ok : invalidHandle;
}

int cuEventCreate(EventHandle *event, unsigned flags) {
  FAKE_BEGIN_IN_CONTEXT("cuEventCreate")
  *event = new EventObject;
  state.events.insert(*event);
  return ok;
}

int cuEventDestroy_v2(EventHandle event) {
  FAKE_BEGIN_IN_CONTEXT("cuEventDestroy_v2")
  return destroy(state.events, event);
}

int cuEventRecord(EventHandle event, StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuEventRecord")
  if (!state.events.count(event) || (stream && !state.streams.count(stream)))
    return invalidHandle;
  event->time = ++state.time;
  return ok;
}

int cuEventSynchronize(EventHandle event) {
  FAKE_BEGIN_IN_CONTEXT("cuEventSynchronize")
  return state.events.count(event) ? ok : invalidHandle;
}

/// One millisecond a record that lies between the two.
int cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle stop) {
  FAKE_BEGIN_IN_CONTEXT("cuEventElapsedTime")
  if (!state.events.count(start) || !state.events.count(stop) || !start->time || !stop->time)
    return invalidHandle;
  *milliseconds = float(stop->time - start->time);
  return ok;
}

} // extern "C"
