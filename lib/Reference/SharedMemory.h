// Shared memory of a thread block: one buffer for each allocation.
//
// Owns the contents and the life of the buffers. Who may access them when is the RaceDetector's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "RuntimeValue.h"
#include "mlir/IR/Operation.h"

namespace tilus::reference {

/// What is known of one element for the race detector. Events are numbers of accesses; 0 is none.
struct SharedCell {
  uint32_t write = 0;
  bool isInitialized = false;
  llvm::SmallVector<uint32_t, 1> reads;
};

/// The memory of one `tilus.alloc_shared`. Executed again, it is the same memory with undefined content.
class SharedBuffer {
public:
  SharedBuffer(mlir::Operation *alloc, const Element &element, int64_t count)
      : alloc(alloc), element(element), codes(count * element.bytes) {}

  mlir::Operation *alloc;
  /// The operation that freed it; null while it lives.
  mlir::Operation *freedBy = nullptr;
  Element element;
  std::vector<uint8_t> codes;
  /// Empty unless hazards are checked.
  std::vector<SharedCell> cells;

  uint8_t *at(int64_t place) { return codes.data() + place * element.bytes; }
  uint64_t getCode(int64_t place) { return element.load(at(place)); }
  void setCode(int64_t place, uint64_t code) { element.store(at(place), code); }
};

class SharedMemory {
public:
  /// The buffer of an allocation, its content undefined (all bits set), with cells if hazards are checked.
  SharedBuffer &allocate(mlir::Operation *alloc, const Element &element, int64_t count, bool hasCells);

  static void load(const SharedTile &source, Tile &tile);
  static void store(const SharedTile &dest, const Tile &tile);
  /// Makes the content undefined.
  static void poison(const SharedTile &dest);
  /// Emits an error at `op` if the tile was freed.
  static mlir::LogicalResult checkAlive(mlir::Operation *op, const SharedTile &tile);

private:
  llvm::DenseMap<mlir::Operation *, std::unique_ptr<SharedBuffer>> buffers;
};

} // namespace tilus::reference
