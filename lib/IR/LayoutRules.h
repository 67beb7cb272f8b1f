// What the layout rules and the scratch of ops in several groups share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

llvm::ArrayRef<int64_t> getTileShape(mlir::Value tile);

/// The layout of a tile; nullopt for values without one.
std::optional<RegisterLayout> findLayout(mlir::Value tile);

/// Proposes `layout` for the tile if there is one.
void proposeIf(LayoutQuery &query, mlir::Value tile, const std::optional<RegisterLayout> &layout);

/// Reports that `tile` lacks the layout that follows from the other tiles of the op, of which there may be
/// none. Tiles without a layout are not compared.
mlir::LogicalResult expectLayout(mlir::Operation *op, llvm::StringRef what, mlir::Value tile,
                                 const std::optional<RegisterLayout> &expected);

/// Whether the threads that execute the op can shuffle.
bool hasWarps(mlir::Operation *op);

} // namespace tilus
