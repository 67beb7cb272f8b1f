// Allocation of workspaces.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/WorkspacePool.h"

#include "Tilus/Runtime/EventTimer.h"

#include "llvm/Support/MathExtras.h"

namespace tilus {

static constexpr uint64_t smallestBuffer = 256;

/// Clears a buffer on a stream of its own, since the default stream may not be used beside captures.
static llvm::Error clear(const Device &device, const DeviceBuffer &buffer) {
  llvm::Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  const CudaDriver &driver = device.getDriver();
  if (llvm::Error error =
          driver.check(driver->memsetD8Async(buffer.getAddress(), 0, buffer.getBytes(), stream->getHandle()),
                       "cuMemsetD8Async", "a workspace of " + llvm::Twine(buffer.getBytes()) + " bytes"))
    return error;
  return stream->synchronize();
}

llvm::Expected<uint64_t> WorkspacePool::get(const Request &request) {
  if (request.bytes == 0)
    return 0;
  std::lock_guard lock(mutex);
  std::vector<DeviceBuffer> &row =
      buffers[{&request.device, request.stream, request.capture, request.index, request.isClean}];
  if (!row.empty() && row.back().getBytes() >= request.bytes)
    return row.back().getAddress();
  // Sizes that double keep the outgrown ones smaller than the one in use, all together.
  constexpr uint64_t largestPower = uint64_t(1) << 63;
  uint64_t bytes = std::max(smallestBuffer,
                            request.bytes > largestPower ? request.bytes : llvm::PowerOf2Ceil(request.bytes));
  RelaxedCaptureScope relaxed(request.device.getDriver());
  llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(request.device, bytes);
  if (!buffer)
    return buffer.takeError();
  if (request.isClean) {
    llvm::Expected<ContextScope> scope = request.device.enter();
    if (!scope)
      return scope.takeError();
    if (llvm::Error error = clear(request.device, *buffer))
      return std::move(error);
  }
  row.push_back(std::move(*buffer));
  return row.back().getAddress();
}

uint64_t WorkspacePool::getBytes() const {
  std::lock_guard lock(mutex);
  uint64_t bytes = 0;
  for (const auto &[key, row] : buffers)
    for (const DeviceBuffer &buffer : row)
      bytes += buffer.getBytes();
  return bytes;
}

} // namespace tilus
