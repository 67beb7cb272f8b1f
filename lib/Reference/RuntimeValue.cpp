// Run-time values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RuntimeValue.h"

#include "llvm/ADT/STLExtras.h"

using namespace tilus;
using namespace tilus::reference;

Tile::Tile(const Element &element, llvm::ArrayRef<int64_t> shape)
    : element(element), shape(shape), count(countElements(shape)), codes(count * element.bytes) {}

Shape reference::getRowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  Shape strides(shape.size(), 1);
  for (int64_t dim = int64_t(shape.size()) - 2; dim >= 0; --dim)
    strides[dim] = int64_t(uint64_t(strides[dim + 1]) * uint64_t(shape[dim + 1]));
  return strides;
}

int64_t reference::countElements(llvm::ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string reference::formatIndex(llvm::ArrayRef<int64_t> shape, int64_t position) {
  llvm::SmallVector<int64_t> index(shape.size());
  for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
    index[dim] = position % shape[dim];
    position /= shape[dim];
  }
  std::string text = "[";
  for (auto [dim, value] : llvm::enumerate(index))
    text += (dim ? ", " : "") + std::to_string(value);
  return text + "]";
}
