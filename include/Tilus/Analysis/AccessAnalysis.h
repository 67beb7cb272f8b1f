// What is known of the addresses of an access to global memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Analysis/ScalarAnalysis.h"

namespace tilus {

/// An op that moves a tile between a view and something else.
struct GlobalAccess {
  mlir::Operation *op;
  mlir::Value view;
  mlir::ValueRange offsets;
  llvm::SmallVector<int64_t> tileShape;
  /// The view's dimension of each dimension of the tile.
  llvm::SmallVector<int64_t> tileDims;
};

/// The access that an op makes to a tile of a view; nothing for ops that make none.
std::optional<GlobalAccess> getGlobalAccess(mlir::Operation *op);

/// One dimension of a view.
struct ViewDim {
  ScalarFacts size;
  ScalarFacts stride;
  /// The size where it is dynamic and known as a value; null otherwise.
  mlir::Value sizeValue;
};

/// A view followed back to its pointer.
struct ViewFacts {
  /// What the address is a multiple of where all slices are taken away, in bits; a power of two.
  uint64_t alignmentBits;
  /// Elements between that address and the view's.
  ScalarFacts origin;
  llvm::SmallVector<ViewDim> dims;
};

/// What is known of a view where `user` uses it. A view whose origin is not seen is known by its type alone.
ViewFacts analyzeView(const ScalarAnalysis &scalars, mlir::Value view, mlir::Operation *user);

/// What a lowering may rely on in an access.
struct AccessFacts {
  /// For each dimension of the view, whether the tile lies within it in every execution.
  llvm::SmallVector<bool> inBounds;
  /// Likewise, whether the tile does not begin before it.
  llvm::SmallVector<bool> nonNegative;
  /// The tile's dimension along which elements may be moved together; 0 for a tile without dimensions.
  int64_t vectorDim = 0;
  /// The most elements, a power of two and at most 16 bytes, such that each aligned group of so many along
  /// `vectorDim` is contiguous, takes whole bytes, and starts at a multiple of the largest power of two that
  /// divides the group's bytes. The groups tile the dimension.
  int64_t vector = 1;
  /// The most elements, a power of two, such that each aligned group of so many along `vectorDim` lies wholly
  /// inside or wholly outside of the view. The groups tile the dimension.
  int64_t maskVector = 1;
  /// Whether the distance in bytes of each element within the view from the view's address, and from the
  /// pointer's, fits a signed integer of 32 bits.
  bool fitsOffset32 = false;
};

AccessFacts analyzeAccess(const ScalarAnalysis &scalars, const GlobalAccess &access);

} // namespace tilus
