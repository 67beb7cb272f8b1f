// A range of device memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"

#include "llvm/ADT/ArrayRef.h"

namespace tilus {

/// Device memory that is freed at the end of its owner's life. A buffer of 0 bytes has the address 0.
class DeviceBuffer {
public:
  static llvm::Expected<DeviceBuffer> allocate(const Device &device, uint64_t bytes);
  DeviceBuffer(DeviceBuffer &&other);
  DeviceBuffer &operator=(DeviceBuffer &&other);
  ~DeviceBuffer();

  cuda::DevicePointer getAddress() const { return address; }
  uint64_t getBytes() const { return bytes; }

  /// Copies all of `source` to the start of the buffer, or the start of the buffer to all of `target`; waits
  /// until it is done. Fails where the buffer is smaller.
  llvm::Error copyFrom(llvm::ArrayRef<uint8_t> source);
  llvm::Error copyTo(llvm::MutableArrayRef<uint8_t> target) const;
  /// Sets every byte.
  llvm::Error fill(uint8_t value);
  /// Sets every byte, in the order of the stream, without waiting.
  llvm::Error fillAsync(uint8_t value, cuda::StreamHandle stream);

private:
  DeviceBuffer(const Device &device, uint64_t bytes) : device(&device), bytes(bytes) {}
  llvm::Error checkSize(uint64_t wanted) const;
  void release();

  const Device *device;
  cuda::DevicePointer address = 0;
  uint64_t bytes = 0;
};

} // namespace tilus
