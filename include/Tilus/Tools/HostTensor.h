// A tensor in host memory: shape, element type and packed elements in row-major order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/ScalarFormat.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>
#include <vector>

namespace tilus {

/// The shape in words: "4x8xf16", or "f16" for rank 0.
std::string describeTensorType(llvm::ArrayRef<int64_t> shape, const ScalarFormat &format);

/// A tensor whose element i takes the bits from i * format.bits on of the little-endian bit string `bytes`.
struct HostTensor {
  llvm::SmallVector<int64_t, 4> shape;
  ScalarFormat format;
  std::vector<uint8_t> bytes;

  /// A tensor of zero bits. Fails where a size is negative, or where there is no memory for it.
  static llvm::Expected<HostTensor> create(llvm::ArrayRef<int64_t> shape, ScalarFormat format);

  /// The product of the sizes; 1 for rank 0.
  int64_t getElementCount() const;
  /// The code or value of an element by its row-major number, which must be below the element count.
  uint64_t getCode(int64_t index) const;
  void setCode(int64_t index, uint64_t code);
  double decode(int64_t index) const { return format.decode(getCode(index)); }
};

} // namespace tilus
