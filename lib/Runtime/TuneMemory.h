// The memory behind the arguments of a tuning: where it is, its copies, and its contents.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/Tuner.h"

namespace tilus {

/// A range of device memory to which arguments point. Ranges that overlap are one.
struct TuneRegion {
  uint64_t address = 0;
  uint64_t bytes = 0;
  /// How its contents are compared: the elements of the first parameter that points to it, from that address.
  ScalarFormat format;
  uint64_t formatOffset = 0;
  /// That parameter.
  std::string name;
};

/// The values of a kernel's parameters, those that point to memory as an offset in a region.
struct TunePlan {
  struct Value {
    uint64_t code = 0;
    /// The number of the region; none for a scalar and for a null pointer. `code` is the offset then.
    std::optional<unsigned> region;
  };

  std::vector<TuneRegion> regions;
  std::vector<Value> values;
};

/// Finds the memory behind the values: behind pointers, and behind integers of 64 bits that are addresses of
/// device memory. Fails for a pointer whose memory the driver does not know.
llvm::Expected<TunePlan> planTuning(const Device &device, llvm::ArrayRef<KernelParam> params,
                                    llvm::ArrayRef<TuneValue> values);

/// The driver aligns what it allocates to this, and code may rely on any smaller power of two.
inline constexpr uint64_t tuneAlignment = 256;

/// Copies device memory to the host after the work on the stream, and waits until it is done. The stream is
/// not the default one, which may depend on streams that are being captured.
llvm::Error readMemory(const Device &device, uint64_t address, llvm::MutableArrayRef<uint8_t> contents,
                       cuda::StreamHandle stream);

/// Copies from the host to device memory.
llvm::Error writeMemory(const Device &device, uint64_t address, llvm::ArrayRef<uint8_t> contents);

/// Copies of a plan's regions, in which candidates run. Each keeps its address's place within 256 bytes.
class TuneMemory {
public:
  static llvm::Expected<TuneMemory> allocate(const Device &device, const TunePlan &plan);

  const TunePlan &getPlan() const { return *plan; }
  /// The address of a value in the copies, or its code.
  uint64_t getCode(const TunePlan::Value &value) const;
  /// Makes a region's copy equal to the region, on the stream.
  llvm::Error restore(unsigned region, cuda::StreamHandle stream);
  /// Where a region's copy is.
  uint64_t getAddress(unsigned region) const;

private:
  TuneMemory(const Device &device, const TunePlan &plan) : device(&device), plan(&plan) {}

  const Device *device;
  const TunePlan *plan;
  std::vector<DeviceBuffer> copies;
};

} // namespace tilus
