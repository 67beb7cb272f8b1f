// The layout of a tile in tensor memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutSupport.h"

#include "llvm/ADT/Hashing.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilus {

/// Place of a tile in tensor memory: dimension 0 runs over lanes, from `laneOffset` on; the other dimensions
/// run over the elements of a lane with one stride each. Strides of dimensions of size 1 are stored as 0, so
/// that equal layouts are those that place each element alike.
class TensorMemoryLayout {
public:
  /// The layout, or nullopt and an error unless `shape[0]` is 32, 64 or 128, the lanes from `laneOffset` on
  /// are whole warps' lanes within the 128 that exist, and there is one stride, 0 for dimension 0, for each
  /// dimension.
  static std::optional<TensorMemoryLayout> get(llvm::ArrayRef<int64_t> shape,
                                               llvm::ArrayRef<int64_t> columnStrides, int64_t laneOffset = 0,
                                               ErrorCallback onError = nullptr);
  /// Compact within a lane, the last dimension fastest.
  static std::optional<TensorMemoryLayout> rowMajor(llvm::ArrayRef<int64_t> shape,
                                                    ErrorCallback onError = nullptr);

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  llvm::ArrayRef<int64_t> getColumnStrides() const { return columnStrides; }
  int64_t getLaneOffset() const { return laneOffset; }
  int64_t getNumLanes() const { return shape[0]; }
  int64_t getRank() const { return shape.size(); }

  /// The elements of a lane before the element at `index`.
  int64_t getElementOffset(llvm::ArrayRef<int64_t> index) const;
  /// Elements of a lane that the tile takes up, holes included.
  int64_t getCountSize() const;
  /// 32-bit columns that the tile takes up.
  int64_t getNumColumns(int64_t elementBits) const;
  /// The address of the 32-bit word that holds the element, relative to the allocation: lane in the upper 16
  /// bits, column in the lower.
  int64_t getAddress(llvm::ArrayRef<int64_t> index, int64_t elementBits) const;

  /// The view of `size0` lanes that starts at `offsets` and keeps `keptDims` (ascending, dimension 0 first).
  /// The elements of a lane before the view are `getElementOffset(offsets)`, which its user adds.
  std::optional<TensorMemoryLayout> slice(llvm::ArrayRef<int64_t> offsets, llvm::ArrayRef<int64_t> keptDims,
                                          llvm::ArrayRef<int64_t> newShape,
                                          ErrorCallback onError = nullptr) const;

  bool operator==(const TensorMemoryLayout &other) const {
    return shape == other.shape && columnStrides == other.columnStrides && laneOffset == other.laneOffset;
  }
  bool operator!=(const TensorMemoryLayout &other) const { return !(*this == other); }
  friend llvm::hash_code hash_value(const TensorMemoryLayout &layout);

  /// Prints `shape, strides, lane`.
  void print(llvm::raw_ostream &os) const;

private:
  TensorMemoryLayout() = default;

  Extents shape;
  Extents columnStrides;
  int64_t laneOffset = 0;
};

} // namespace tilus
