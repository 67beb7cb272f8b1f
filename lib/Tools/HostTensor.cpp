// Creation of and access to host tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/HostTensor.h"
#include "Tilus/Support/BitAccess.h"
#include "Tilus/Support/IntMath.h"

#include "llvm/ADT/Twine.h"
#include <cstdlib>
#include <optional>

namespace tilus {

std::string describeTensorType(llvm::ArrayRef<int64_t> shape, const ScalarFormat &format) {
  std::string text;
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + format.getName();
}

/// The bytes that the tensor takes, or nothing where the number overflows. All sizes are at least 0.
static std::optional<uint64_t> countBytes(llvm::ArrayRef<int64_t> shape, const ScalarFormat &format) {
  if (llvm::is_contained(shape, 0))
    return 0;
  std::optional<int64_t> count = 1;
  for (int64_t size : shape)
    if (count)
      count = checkedMul(*count, size);
  return count ? format.getStorageBytes(*count) : std::nullopt;
}

/// Whether that much memory can be had; allocating the vector itself would end the process if not.
static bool canAllocate(uint64_t bytes) {
  if (bytes > uint64_t(PTRDIFF_MAX))
    return false;
  // Volatile: a compiler may drop an allocation that it sees to be freed unused, and take it to have
  // succeeded.
  void *volatile probe = std::malloc(bytes);
  bool isGiven = probe != nullptr || bytes == 0;
  std::free(probe);
  return isGiven;
}

llvm::Expected<HostTensor> HostTensor::create(llvm::ArrayRef<int64_t> shape, ScalarFormat format) {
  for (int64_t size : shape)
    if (size < 0)
      return llvm::createStringError("expected tensor sizes of at least 0, but got " + llvm::Twine(size));
  std::optional<uint64_t> bytes = countBytes(shape, format);
  if (!bytes || !canAllocate(*bytes))
    return llvm::createStringError("expected a tensor that fits in memory, but got " +
                                   describeTensorType(shape, format));
  return HostTensor{{shape.begin(), shape.end()}, format, std::vector<uint8_t>(*bytes)};
}

int64_t HostTensor::getElementCount() const {
  int64_t count = 1;
  for (int64_t size : shape) {
    if (size == 0)
      return 0;
    count *= size;
  }
  return count;
}

uint64_t HostTensor::getCode(int64_t index) const {
  return readElement(bytes, uint64_t(index) * format.bits, format.bits);
}

void HostTensor::setCode(int64_t index, uint64_t code) {
  writeElement(bytes, uint64_t(index) * format.bits, format.bits, code);
}

} // namespace tilus
