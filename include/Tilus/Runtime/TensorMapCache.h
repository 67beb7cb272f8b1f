// Descriptors for the hardware's tensor copies, kept from launch to launch.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CudaDriver.h"
#include "Tilus/Support/KernelArtifact.h"

#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <memory>

namespace tilus {

/// The descriptors that were made last for one tensor map of a kernel after the other, each with the address,
/// shape and strides that it was made from. Made anew only where these change, and without allocation. One
/// thread may use it at a time.
class TensorMapCache {
public:
  TensorMapCache();

  /// The 128 bytes of the descriptor of the artifact's tensor map number `index`, for these values of the
  /// parameters and this address of its pointer parameter. Valid until the next call. The artifact must
  /// outlive the cache.
  ///
  /// Fails, naming the parameter, where the driver has no such descriptors, or the hardware takes none for
  /// this address, shape and strides.
  llvm::Expected<void *> get(const CudaDriver &driver, const KernelArtifact &artifact, unsigned index,
                             llvm::ArrayRef<int64_t> gridValues, uint64_t address);

private:
  static constexpr unsigned entryCount = 4;
  struct Key {
    const KernelTensorMap *map = nullptr;
    uint64_t address = 0;
    std::array<uint64_t, 5> shape = {};
    std::array<uint64_t, 4> strides = {};

    bool operator==(const Key &other) const {
      return map == other.map && address == other.address && shape == other.shape && strides == other.strides;
    }
  };
  struct alignas(64) Entry {
    uint8_t bytes[128] = {};
    Key key;
  };

  static llvm::Error computeKey(const KernelArtifact &artifact, llvm::ArrayRef<int64_t> gridValues, Key &key);
  static llvm::Error encode(const CudaDriver &driver, const KernelArtifact &artifact, Entry &entry);

  std::unique_ptr<std::array<Entry, entryCount>> entries;
  unsigned next = 0;
};

} // namespace tilus
