// Finding and copying of the memory behind the arguments of a tuning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TuneMemory.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

namespace tilus {

//===----------------------------------------------------------------------===//
// Planning
//===----------------------------------------------------------------------===//

namespace {
/// The memory behind one parameter.
struct Extent {
  unsigned param;
  uint64_t begin;
  uint64_t end;
};
} // namespace

/// The end of the allocation that holds the address; nothing if the driver knows none.
static std::optional<uint64_t> findAllocationEnd(const Device &device, uint64_t address) {
  cuda::DevicePointer base = 0;
  size_t bytes = 0;
  if (device.getDriver()->memGetAddressRange(&base, &bytes, address) != cuda::success)
    return std::nullopt;
  return base + bytes;
}

/// The memory behind a parameter; an empty extent if there is none.
static llvm::Expected<Extent> findExtent(const Device &device, const KernelParam &param, unsigned index,
                                         const TuneValue &value) {
  Extent extent = {index, value.code, value.code};
  bool mayPoint = param.isPointer() || (param.format.isInteger() && param.format.bits == 64);
  if (!mayPoint || value.code == 0)
    return extent;
  if (param.isPointer() && value.bytes > 0) {
    extent.end = value.code + value.bytes;
    return extent;
  }
  if (std::optional<uint64_t> end = findAllocationEnd(device, value.code))
    extent.end = *end;
  else if (param.isPointer())
    return llvm::createStringError("expected device memory behind parameter '" + param.name +
                                   "' that can be copied for tuning, but got the address 0x" +
                                   llvm::Twine::utohexstr(value.code) + " of no allocation");
  return extent;
}

/// Joins extents that overlap into regions.
static void addRegions(TunePlan &plan, std::vector<Extent> extents, llvm::ArrayRef<KernelParam> params) {
  llvm::sort(extents, [](const Extent &a, const Extent &b) {
    return std::tie(a.begin, a.param) < std::tie(b.begin, b.param);
  });
  std::vector<unsigned> owners;
  for (const Extent &extent : extents) {
    bool isNew =
        plan.regions.empty() || extent.begin >= plan.regions.back().address + plan.regions.back().bytes;
    if (isNew) {
      plan.regions.push_back({extent.begin, 0, {}, 0, {}});
      owners.push_back(extent.param);
    }
    TuneRegion &region = plan.regions.back();
    region.bytes = std::max(region.bytes, extent.end - region.address);
    if (isNew || extent.param < owners.back()) {
      owners.back() = extent.param;
      region.format = params[extent.param].format;
      region.formatOffset = extent.begin - region.address;
      region.name = params[extent.param].name;
    }
    plan.values[extent.param] = {extent.begin - region.address, unsigned(plan.regions.size() - 1)};
  }
}

llvm::Expected<TunePlan> planTuning(const Device &device, llvm::ArrayRef<KernelParam> params,
                                    llvm::ArrayRef<TuneValue> values) {
  if (values.size() != params.size())
    return llvm::createStringError("expected " + llvm::Twine(params.size()) +
                                   " values, one for each parameter of the kernel, but got " +
                                   llvm::Twine(values.size()));
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  TunePlan plan;
  std::vector<Extent> extents;
  for (const auto &[index, param, value] : llvm::enumerate(params, values)) {
    plan.values.push_back({value.code, std::nullopt});
    llvm::Expected<Extent> extent = findExtent(device, param, index, value);
    if (!extent)
      return extent.takeError();
    if (extent->begin != extent->end)
      extents.push_back(*extent);
  }
  addRegions(plan, std::move(extents), params);
  return std::move(plan);
}

llvm::Error readMemory(const Device &device, uint64_t address, llvm::MutableArrayRef<uint8_t> contents,
                       cuda::StreamHandle stream) {
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  std::string what =
      ("the contents of " + llvm::Twine(contents.size()) + " bytes on " + device.describe()).str();
  if (llvm::Error error =
          driver.check(driver->memcpyDtoHAsync(contents.data(), address, contents.size(), stream),
                       "cuMemcpyDtoHAsync_v2", what))
    return error;
  return driver.check(driver->streamSynchronize(stream), "cuStreamSynchronize", what);
}

llvm::Error writeMemory(const Device &device, uint64_t address, llvm::ArrayRef<uint8_t> contents) {
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  return driver.check(driver->memcpyHtoD(address, contents.data(), contents.size()), "cuMemcpyHtoD_v2",
                      "a copy of " + llvm::Twine(contents.size()) + " bytes to " + device.describe());
}

//===----------------------------------------------------------------------===//
// TuneMemory
//===----------------------------------------------------------------------===//

llvm::Expected<TuneMemory> TuneMemory::allocate(const Device &device, const TunePlan &plan) {
  TuneMemory memory(device, plan);
  for (const TuneRegion &region : plan.regions) {
    llvm::Expected<DeviceBuffer> copy =
        DeviceBuffer::allocate(device, region.bytes + region.address % tuneAlignment);
    if (!copy)
      return copy.takeError();
    memory.copies.push_back(std::move(*copy));
  }
  return std::move(memory);
}

uint64_t TuneMemory::getAddress(unsigned region) const {
  return copies[region].getAddress() + plan->regions[region].address % tuneAlignment;
}

uint64_t TuneMemory::getCode(const TunePlan::Value &value) const {
  return value.region ? getAddress(*value.region) + value.code : value.code;
}

llvm::Error TuneMemory::restore(unsigned region, cuda::StreamHandle stream) {
  llvm::Expected<ContextScope> scope = device->enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device->getDriver();
  const TuneRegion &original = plan->regions[region];
  return driver.check(driver->memcpyDtoDAsync(getAddress(region), original.address, original.bytes, stream),
                      "cuMemcpyDtoDAsync_v2", "the memory behind parameter '" + original.name + "'");
}

} // namespace tilus
