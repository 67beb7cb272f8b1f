// Rules that several op groups check in the same words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// Checks one offset for each dimension of a view, and the map from the tile's dimensions to the view's: as
/// many as the tile's rank, distinct, in range; without `dims` the tile's rank must not exceed the view's.
mlir::LogicalResult verifyTileAccess(mlir::Operation *op, GlobalType view, mlir::ValueRange offsets,
                                     std::optional<llvm::ArrayRef<int64_t>> dims, int64_t tileRank,
                                     mlir::Type tileElement);

/// The view's dimension of each of the tile's: `dims`, or the last ones in order.
llvm::SmallVector<int64_t> resolveTileDims(std::optional<llvm::ArrayRef<int64_t>> dims, int64_t tileRank,
                                           int64_t viewRank);

/// Checks that `dims` are distinct, ascending dimensions of a value of `rank`, with one offset each.
mlir::LogicalResult verifyIndexedDims(mlir::Operation *op, int64_t rank, llvm::ArrayRef<int64_t> dims,
                                      size_t numOffsets);

/// `shape` without the dimensions in `dims`.
llvm::SmallVector<int64_t> dropDims(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> dims);

/// Checks that a value has the shape and element type that the op gives it.
mlir::LogicalResult verifyShapeAndElement(mlir::Operation *op, llvm::StringRef what,
                                          llvm::ArrayRef<int64_t> expectedShape, mlir::Type expectedElement,
                                          llvm::ArrayRef<int64_t> shape, mlir::Type element);

/// Checks that `permutation` reorders the dimensions of `source` to `result`.
mlir::LogicalResult verifyPermutation(mlir::Operation *op, llvm::ArrayRef<int64_t> source,
                                      llvm::ArrayRef<int64_t> permutation, llvm::ArrayRef<int64_t> result);

/// Checks that `dim` is a dimension of a value of `rank`.
mlir::LogicalResult verifyDim(mlir::Operation *op, int64_t dim, int64_t rank);

/// Text of a shape for messages: `64x32`, or `[]` for rank 0.
std::string formatShape(llvm::ArrayRef<int64_t> shape);

} // namespace tilus
