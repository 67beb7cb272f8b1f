// The memory of kernels' workspaces.
//
// Launches on one stream follow one another, so they share memory; launches on different streams do not, and
// neither do those of a capture with any others, since a graph may run beside everything.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/DeviceBuffer.h"

#include <map>
#include <mutex>
#include <tuple>

namespace tilus {

/// Shared by dispatchers, from any threads. The devices must outlive it, and it must outlive the launches and
/// the graphs that use its memory.
class WorkspacePool {
public:
  struct Request {
    const Device &device;
    cuda::StreamHandle stream;
    /// The driver's number of the capture that the launch is part of; 0 if it is part of none.
    uint64_t capture;
    /// The number of the workspace among those of its kernel.
    unsigned index;
    /// Whether it has to hold zeros; who gets it leaves it with zeros.
    bool isClean;
    /// 0 gives the address 0.
    uint64_t bytes;
  };

  /// The address of memory of at least that size. It stays the same for equal requests, and may be asked for
  /// while streams are being captured.
  llvm::Expected<uint64_t> get(const Request &request);
  /// All memory that is held, in bytes.
  uint64_t getBytes() const;

private:
  using Key = std::tuple<const Device *, cuda::StreamHandle, uint64_t, unsigned, bool>;

  mutable std::mutex mutex;
  /// The last buffer of each is the one in use; launches under way may still use the ones before it.
  std::map<Key, std::vector<DeviceBuffer>> buffers;
};

} // namespace tilus
