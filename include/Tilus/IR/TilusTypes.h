// Types of the dialect and what a tile is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusAttrs.h"
#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "Tilus/IR/TilusTypes.h.inc"

namespace tilus {

/// Whether a tile, a view or a pointer may have elements of this type: builtin integers of 1 to 64 bits
/// without signedness, index, the builtin floats of 4 to 64 bits, and the dialect's low-precision types.
bool isElementType(mlir::Type type);

/// Bits that an element takes in registers and in memory. A boolean (i1) is one byte in memory; tf32 takes 32
/// bits; index 64.
unsigned getElementBits(mlir::Type type);

/// Whether elements of this type are packed below a byte: 1 to 7 bits, but not the boolean.
bool isPackedElement(mlir::Type type);

/// Whether the type is a float, of the builtin or of the dialect's types.
bool isFloatElement(mlir::Type type);

/// Whether the type is a register tile: a tensor of rank 0 to 5, static positive sizes and an element type.
bool isTileType(mlir::Type type);

/// The layout of a tile; null if it has none yet.
RegisterLayoutAttr getTileLayout(mlir::Type type);

/// The same tile with another layout, or none if `layout` is null.
mlir::RankedTensorType withTileLayout(mlir::RankedTensorType type, RegisterLayoutAttr layout);

} // namespace tilus
