// Addresses and masks of the slots of a tile in a view of global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

namespace tilus {

/// What the bounds analysis proved about an access; see tilus-simplify-bounds.
struct ProvenFacts {
  ProvenFacts(mlir::Operation *op, int64_t viewRank);
  /// Whether every element lies inside the view.
  bool isInBounds() const;

  /// The tile's dimension along which neighbours lie next to each other in memory; -1 if there is none.
  int64_t vectorDim;
  /// Elements that an aligned access may move; elements that no edge of the view cuts apart.
  int64_t vector, maskVector;
  /// For each dimension of the view: the tile lies inside.
  llvm::SmallVector<bool> inBounds;
  /// Likewise: the tile does not begin before the view.
  llvm::SmallVector<bool> nonNegative;
};

/// Addresses and masks of a tile's elements in a view.
class GlobalAddresses {
public:
  GlobalAddresses(mlir::OpBuilder &builder, mlir::Location loc, GlobalType type, mlir::ValueRange view,
                  mlir::ValueRange offsets, llvm::ArrayRef<int64_t> tileDims,
                  llvm::ArrayRef<int64_t> tileShape, const ProvenFacts &facts);
  /// Fixes the thread's part of the index along each dimension of the tile.
  void setThreadIndex(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> thread);
  /// Address of the element at a constant distance from the thread's.
  mlir::Value getPointer(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot);
  /// i1: that element lies inside the view; null if that is known.
  mlir::Value getMask(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot);
  /// i32: bytes of a run of `count` elements along `dim` that lie before the end of the view, from none to
  /// all.
  mlir::Value getBytesInside(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot,
                             int64_t dim, int64_t count);
  /// i1: all elements of the tile lie inside the view.
  mlir::Value isTileInside(mlir::OpBuilder &builder, mlir::Location loc);
  /// Forgets what was made for one region before another begins.
  void beginRegion();

  /// The conjunction of two conditions, either of which may be null for true.
  static mlir::Value conjoin(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b);

private:
  /// Along one dimension of the tile: the thread's distance from where the view begins, how many elements of
  /// the tile lie inside, and the thread's distance to the view's end; all i32. Where the tile cannot begin
  /// before the view, the position is no less than 0, and the span may be: comparisons are signed.
  struct Window {
    mlir::Value position, span, left;
    mlir::arith::CmpIPredicate isInside;
  };
  mlir::Value getSteppedPointer(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int64_t> slot);
  Window createWindow(mlir::OpBuilder &builder, mlir::Location loc, int64_t viewDim, mlir::Value thread);

  GlobalParts parts;
  llvm::SmallVector<int64_t> tileDims, tileShape;
  const ProvenFacts &facts;
  int64_t elementBits;
  /// The tile's start along each dimension of the view.
  llvm::SmallVector<mlir::Value> start;
  llvm::SmallVector<Window> windows;
  mlir::Value base, fixedMask;
  /// By the tile's dimension and the distance along it: what was made so far.
  std::map<std::pair<int64_t, int64_t>, mlir::Value> masks;
  std::map<int64_t, std::map<int64_t, mlir::Value>> steps;
  std::map<llvm::SmallVector<int64_t>, mlir::Value> pointers;
};

} // namespace tilus
