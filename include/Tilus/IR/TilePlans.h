// How ops move and combine tiles across the threads of their group: the plans that sizes of scratch memory
// and the lowering follow alike.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/CombinePlan.h"
#include "Tilus/Layout/LayoutConversion.h"
#include "mlir/IR/BuiltinTypes.h"

namespace tilus {

/// The first thread, in the block, of the group that executes an op. A group without a begin is the first
/// threads of the enclosing one.
int64_t getPlacedThreadBegin(mlir::Operation *op);

/// The plan of `tilus.convert_layout` and of `tilus.reshape`, for tiles with layouts. Tiles of different
/// shapes are seen as their row-major sequences. Without `hasWarps` it has no shuffles. Nullopt if the
/// layouts have different numbers of threads.
std::optional<ConversionPlan> planTileMove(mlir::RankedTensorType source, mlir::RankedTensorType result,
                                           bool hasWarps);

/// The layout of a tile as `planTileMove` sees it, given the other tile.
RegisterLayout getMovedLayout(mlir::RankedTensorType tile, mlir::RankedTensorType other);

/// Bytes of a value of a combination in scratch: 4, or 8 for elements of 64 bits.
int64_t getCombineBytes(mlir::Type element);

} // namespace tilus
