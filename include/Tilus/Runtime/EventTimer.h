// Streams, and timing of the work on a stream by a pair of events.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"

namespace tilus {

/// A stream of its own, destroyed at the end of its owner's life.
class Stream {
public:
  static llvm::Expected<Stream> create(const Device &device);
  Stream(Stream &&other);
  Stream &operator=(Stream &&) = delete;
  ~Stream();

  cuda::StreamHandle getHandle() const { return handle; }
  /// Waits for the work on the stream; reports what failed since the last wait.
  llvm::Error synchronize() const;

private:
  explicit Stream(const Device &device) : device(&device) {}

  const Device *device;
  cuda::StreamHandle handle = nullptr;
};

/// Measures the device time between two points of a stream.
class EventTimer {
public:
  static llvm::Expected<EventTimer> create(const Device &device);
  EventTimer(EventTimer &&other);
  EventTimer &operator=(EventTimer &&) = delete;
  ~EventTimer();

  /// Marks the points.
  llvm::Error start(cuda::StreamHandle stream);
  llvm::Error stop(cuda::StreamHandle stream);
  /// Whether the second point has been reached. Does not wait; reports what failed before it.
  llvm::Expected<bool> isDone() const;
  /// Waits for the second point; the milliseconds between the two, to about half a microsecond.
  llvm::Expected<float> getMilliseconds() const;

private:
  explicit EventTimer(const Device &device) : device(&device) {}
  llvm::Error record(cuda::EventHandle event, cuda::StreamHandle stream);

  const Device *device;
  cuda::EventHandle begin = nullptr;
  cuda::EventHandle end = nullptr;
};

} // namespace tilus
