// What layout inference knows of single ops: the rule that applies, the default layout, the access vector.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// Whether the value is a register tile.
inline bool isTile(mlir::Value value) { return isTileType(value.getType()); }

/// The type of a tile.
inline mlir::RankedTensorType getTileType(mlir::Value tile) {
  return llvm::cast<mlir::RankedTensorType>(tile.getType());
}

/// Bits of an element of a tile.
inline int64_t getTileElementBits(mlir::Value tile) {
  return getElementBits(getTileType(tile).getElementType());
}

/// Threads of the group that holds the tile.
int64_t getHolderThreads(mlir::Value tile);

/// Whether all tiles of the op have one layout: elementwise ops and those with the trait.
bool hasSameLayouts(mlir::Operation *op);

/// Whether the tile can be made anew in any layout at no cost: constants, broadcast scalars and indices.
bool isRematerializable(mlir::Value tile);

/// The layout of a tile that nothing else decides: vectors of 16 bytes along the last dimension, spread over
/// the threads.
RegisterLayoutAttr getDefaultLayout(mlir::Value tile);

/// The widest access that the op's attributes and types allow; see LayoutQuery::getAccessVector.
AccessVector getAccessVector(mlir::Operation *access);

/// The tile that a load or store moves; null if the op is none.
mlir::Value getAccessedTile(mlir::Operation *op);

/// A layout rule's view of one op: the layouts that it is told, and those that the rule proposes.
class RuleQuery : public LayoutQuery {
public:
  explicit RuleQuery(mlir::Operation *op);

  /// Tells the rule the layout of a tile; ignored if null.
  void know(mlir::Value tile, RegisterLayoutAttr layout);
  /// Asks the op's rule, if it has one.
  void ask();
  /// The layout that was told or proposed; null if there is none.
  RegisterLayoutAttr lookup(mlir::Value tile) const;

  const RegisterLayout *get(mlir::Value tile) const override;
  void propose(mlir::Value tile, const RegisterLayout &layout) override;
  int64_t getNumThreads() const override { return numThreads; }
  AccessVector getAccessVector(mlir::Operation *access) const override {
    return ::tilus::getAccessVector(access);
  }

private:
  mlir::Operation *op;
  int64_t numThreads;
  llvm::SmallVector<std::pair<mlir::Value, RegisterLayoutAttr>, 4> entries;
};

} // namespace tilus
