// Global memory: the buffers of pointer parameters and the workspaces of a launch.
//
// Owns the walk of a tile over a view, and the check that each access stays within its buffer.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Program.h"
#include "RuntimeValue.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tilus::reference {

/// A buffer of global memory.
struct GlobalBuffer {
  llvm::MutableArrayRef<uint8_t> bytes;
  /// For messages: `parameter 'x'`.
  std::string name;
  /// The workspace that this is; null for a parameter.
  mlir::Operation *workspace = nullptr;
  std::vector<uint8_t> storage;
};

/// Where the elements of a tile lie in a view.
struct TileAccess {
  const View *view = nullptr;
  /// One for each dimension of the view.
  Shape offsets;
  /// The view's dimension of each of the tile's.
  Shape dims;
  Shape shape;
};

/// Elements `[low, high)` of a row of the tile (along its last dimension) that lie within the view.
struct AccessRow {
  /// Number of the row's first element in the tile.
  int64_t first = 0;
  int64_t low = 0, high = 0;
  /// Element number in the buffer of element 0 of the row, and the distance of its elements.
  int64_t place = 0, stride = 0;

  int64_t getPlace(int64_t index) const { return place + index * stride; }
};

class GlobalMemory {
public:
  /// Adds a buffer and returns its number.
  unsigned add(GlobalBuffer buffer);
  /// The workspace of an alloc_global, of zeros at first; nullopt if there is no memory for it.
  std::optional<unsigned> getWorkspace(mlir::Operation *alloc, uint64_t bytes);
  GlobalBuffer &get(unsigned number) { return *buffers[number]; }
  llvm::ArrayRef<std::unique_ptr<GlobalBuffer>> getBuffers() const { return buffers; }

  /// Calls `body` for each row of the tile that has elements within the view, once it is known that they lie
  /// within the buffer; emits an error at `op` if they do not.
  mlir::LogicalResult forEachRow(mlir::Operation *op, const TileAccess &access,
                                 llvm::function_ref<void(const AccessRow &)> body);
  /// Checks that elements `place` to `last` of the view's type lie within its buffer.
  mlir::LogicalResult checkRange(mlir::Operation *op, const View &view, int64_t place, int64_t last);

  uint64_t load(const View &view, int64_t place);
  void store(const View &view, int64_t place, uint64_t code);
  /// Reads a tile; what lies outside the view is zero.
  mlir::LogicalResult loadTile(mlir::Operation *op, const TileAccess &access, Tile &tile);
  mlir::LogicalResult storeTile(mlir::Operation *op, const TileAccess &access, const Tile &tile);

private:
  std::vector<std::unique_ptr<GlobalBuffer>> buffers;
  llvm::DenseMap<mlir::Operation *, unsigned> workspaces;
};

/// `a + b * c` modulo 2^64.
inline int64_t multiplyAdd(int64_t a, int64_t b, int64_t c) {
  return int64_t(uint64_t(a) + uint64_t(b) * uint64_t(c));
}

} // namespace tilus::reference
