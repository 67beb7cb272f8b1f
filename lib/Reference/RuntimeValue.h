// What an SSA value is at run time: a scalar, a tile, a pointer, a view of global memory, a shared tile.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Element.h"

#include "llvm/ADT/SmallVector.h"
#include <memory>
#include <variant>
#include <vector>

namespace tilus::reference {

using Shape = llvm::SmallVector<int64_t, 5>;

/// A register tile: the containers of its elements in row-major order.
struct Tile {
  Element element;
  Shape shape;
  int64_t count = 1;
  std::vector<uint8_t> codes;

  Tile(const Element &element, llvm::ArrayRef<int64_t> shape);

  const uint8_t *at(int64_t index) const { return codes.data() + index * element.bytes; }
  uint8_t *at(int64_t index) { return codes.data() + index * element.bytes; }
  uint64_t getCode(int64_t index) const { return element.load(at(index)); }
  void setCode(int64_t index, uint64_t code) { element.store(at(index), code); }
  int64_t getSigned(int64_t index) const { return element.toSigned(getCode(index)); }
};

/// The row-major strides of a shape.
Shape getRowMajorStrides(llvm::ArrayRef<int64_t> shape);
/// The product of the sizes.
int64_t countElements(llvm::ArrayRef<int64_t> shape);
/// The index of an element of a shape, such as `[3, 4]`, for messages.
std::string formatIndex(llvm::ArrayRef<int64_t> shape, int64_t position);

/// An address in a buffer.
struct Pointer {
  unsigned buffer = 0;
  /// From the start of the buffer.
  int64_t bits = 0;
};

/// A strided view of a buffer of global memory; everything in elements.
struct View {
  Element element;
  unsigned buffer = 0;
  int64_t offset = 0;
  Shape shape, strides;
};

class SharedBuffer;

/// A shared tile: element i in row-major order is the element `start + i` of the buffer, or `places[i]`.
struct SharedTile {
  SharedBuffer *buffer = nullptr;
  Shape shape;
  int64_t start = 0;
  std::shared_ptr<const std::vector<int64_t>> places;

  int64_t getPlace(int64_t index) const { return places ? (*places)[index] : start + index; }
};

/// Empty where the value is undefined.
using RuntimeValue = std::variant<std::monostate, uint64_t, std::shared_ptr<const Tile>, Pointer,
                                  std::shared_ptr<const View>, std::shared_ptr<const SharedTile>>;

} // namespace tilus::reference
