// Shared memory of a thread block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SharedMemory.h"

#include "mlir/IR/Diagnostics.h"
#include <cstring>

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

SharedBuffer &SharedMemory::allocate(Operation *alloc, const Element &element, int64_t count, bool hasCells) {
  std::unique_ptr<SharedBuffer> &buffer = buffers[alloc];
  if (!buffer) {
    buffer = std::make_unique<SharedBuffer>(alloc, element, count);
    buffer->cells.resize(hasCells ? count : 0);
  }
  buffer->freedBy = nullptr;
  for (int64_t place = 0; place < count; ++place)
    buffer->setCode(place, ~uint64_t(0));
  // Earlier accesses stay on record: the memory is the same.
  for (SharedCell &cell : buffer->cells)
    cell.isInitialized = false;
  return *buffer;
}

void SharedMemory::load(const SharedTile &source, Tile &tile) {
  if (!source.places) {
    std::memcpy(tile.codes.data(), source.buffer->at(source.start), tile.codes.size());
    return;
  }
  for (int64_t i = 0; i < tile.count; ++i)
    tile.setCode(i, source.buffer->getCode(source.getPlace(i)));
}

void SharedMemory::store(const SharedTile &dest, const Tile &tile) {
  if (!dest.places) {
    std::memcpy(dest.buffer->at(dest.start), tile.codes.data(), tile.codes.size());
    return;
  }
  for (int64_t i = 0; i < tile.count; ++i)
    dest.buffer->setCode(dest.getPlace(i), tile.getCode(i));
}

void SharedMemory::poison(const SharedTile &dest) {
  for (int64_t i = 0, count = countElements(dest.shape); i < count; ++i)
    dest.buffer->setCode(dest.getPlace(i), ~uint64_t(0));
}

LogicalResult SharedMemory::checkAlive(Operation *op, const SharedTile &tile) {
  const SharedBuffer &buffer = *tile.buffer;
  if (!buffer.freedBy)
    return success();
  InFlightDiagnostic error =
      op->emitOpError("expected a shared tile that is allocated, but got one that was freed");
  error.attachNote(buffer.freedBy->getLoc()) << "the tile is freed here";
  error.attachNote(buffer.alloc->getLoc()) << "the tile is allocated here";
  return error;
}
