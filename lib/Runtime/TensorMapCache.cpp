// Making of descriptors for the hardware's tensor copies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TensorMapCache.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

TensorMapCache::TensorMapCache() : entries(std::make_unique<std::array<Entry, entryCount>>()) {}

static llvm::Error describe(const KernelArtifact &artifact, const KernelTensorMap &map,
                            const llvm::Twine &rule, const llvm::Twine &actual) {
  return llvm::createStringError("expected " + rule + " for the tensor at parameter '" +
                                 artifact.params[map.param].name + "' of kernel '" + artifact.entry +
                                 "', but got " + actual);
}

/// Evaluates and checks a size; `least` and `most` are included.
static llvm::Error evaluate(const GridExpr &expr, llvm::ArrayRef<int64_t> values, int64_t multiple,
                            int64_t least, int64_t most, uint64_t &result,
                            llvm::function_ref<llvm::Error(int64_t)> onFault) {
  llvm::Expected<int64_t> value = expr.evaluate(values);
  if (!value)
    return value.takeError();
  if (*value < least || *value > most || *value % multiple != 0)
    return onFault(*value);
  result = static_cast<uint64_t>(*value);
  return llvm::Error::success();
}

llvm::Error TensorMapCache::computeKey(const KernelArtifact &artifact, llvm::ArrayRef<int64_t> gridValues,
                                       Key &key) {
  const KernelTensorMap &map = *key.map;
  constexpr int64_t largestExtent = int64_t(1) << 32, largestStride = (int64_t(1) << 40) - 1;
  int64_t alignment = map.getAlignment();
  llvm::Expected<int64_t> offset = map.byteOffset.evaluate(gridValues);
  if (!offset)
    return offset.takeError();
  key.address += static_cast<uint64_t>(*offset);
  if (key.address == 0 || key.address % alignment != 0)
    return describe(artifact, map, "an address aligned to " + llvm::Twine(alignment) + " bytes",
                    "0x" + llvm::Twine::utohexstr(key.address));
  for (unsigned dim = 0; dim < map.getRank(); ++dim) {
    int64_t multiple = dim == 0 ? map.getShapeMultiple() : 1;
    const auto fault = [&](int64_t value) {
      return describe(artifact, map,
                      "a multiple of " + llvm::Twine(multiple) + " from 1 to 2^32 elements along dimension " +
                          llvm::Twine(dim),
                      llvm::Twine(value));
    };
    if (llvm::Error error =
            evaluate(map.shape[dim], gridValues, multiple, 1, largestExtent, key.shape[dim], fault))
      return error;
  }
  for (unsigned dim = 1; dim < map.getRank(); ++dim) {
    const auto fault = [&](int64_t value) {
      return describe(artifact, map,
                      "a multiple of " + llvm::Twine(alignment) +
                          " below 2^40 bytes from one element to the next along dimension " +
                          llvm::Twine(dim),
                      llvm::Twine(value));
    };
    if (llvm::Error error = evaluate(map.strides[dim - 1], gridValues, alignment, 0, largestStride,
                                     key.strides[dim - 1], fault))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error TensorMapCache::encode(const CudaDriver &driver, const KernelArtifact &artifact, Entry &entry) {
  const Key &key = entry.key;
  const KernelTensorMap &map = *key.map;
  if (!driver->tensorMapEncodeTiled)
    return describe(artifact, map, "a driver that exports 'cuTensorMapEncodeTiled'",
                    "none; it needs CUDA 12");
  if (llvm::Error error = map.check())
    return llvm::createStringError("tensor map of kernel '" + artifact.entry +
                                   "': " + llvm::toString(std::move(error)));
  return driver.check(
      driver->tensorMapEncodeTiled(
          entry.bytes, static_cast<int>(map.element), map.getRank(), key.address, key.shape.data(),
          key.strides.data(), map.box.data(), map.elementStrides.data(), static_cast<int>(map.interleave),
          static_cast<int>(map.swizzle), static_cast<int>(map.promotion), static_cast<int>(map.fill)),
      "cuTensorMapEncodeTiled",
      "the tensor at parameter '" + artifact.params[map.param].name + "' of kernel '" + artifact.entry + "'");
}

llvm::Expected<void *> TensorMapCache::get(const CudaDriver &driver, const KernelArtifact &artifact,
                                           unsigned index, llvm::ArrayRef<int64_t> gridValues,
                                           uint64_t address) {
  Key key;
  key.map = &artifact.tensorMaps[index];
  key.address = address;
  if (llvm::Error error = computeKey(artifact, gridValues, key))
    return std::move(error);
  for (Entry &entry : *entries)
    if (entry.key == key)
      return entry.bytes;
  Entry &entry = (*entries)[next];
  next = (next + 1) % entryCount;
  entry.key = key;
  if (llvm::Error error = encode(driver, artifact, entry)) {
    entry.key = Key();
    return std::move(error);
  }
  return entry.bytes;
}

} // namespace tilus
