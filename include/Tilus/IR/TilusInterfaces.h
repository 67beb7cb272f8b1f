// Op interfaces: how layouts depend on one another, what an op requires of the target, what scratch it needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusAttrs.h"
#include "Tilus/TargetInfo/TargetRequirement.h"
#include "mlir/IR/OpDefinition.h"

namespace tilus {

/// Elements that one thread may move at once, and the tile's dimension along which they lie.
struct AccessVector {
  int64_t dim = 0;
  int64_t size = 1;
};

/// What a layout rule sees and says. Implemented by the inference pass.
class LayoutQuery {
public:
  virtual ~LayoutQuery() = default;
  /// The layout of a tile if it is known. Null for values that are not tiles.
  virtual const RegisterLayout *get(mlir::Value tile) const = 0;
  /// Proposes a layout for a tile. Ignored if the tile has one already or the shape differs.
  virtual void propose(mlir::Value tile, const RegisterLayout &layout) = 0;
  /// Threads of the group that executes the op.
  virtual int64_t getNumThreads() const = 0;
  /// The widest access to global or shared memory that the op allows, at most 16 bytes.
  virtual AccessVector getAccessVector(mlir::Operation *access) const = 0;
};

/// Threads of the group that executes the op: those of the innermost thread group, else of the kernel.
int64_t getNumThreads(mlir::Operation *op);

/// First thread of the group within the block; nullopt if it is any part of its parent's.
std::optional<int64_t> getThreadBegin(mlir::Operation *op);

/// Whether each thread group can compute the tile by itself: it follows from scalars by pure ops. Such a tile
/// may be used across the border of a thread group.
bool isReplicable(mlir::Value tile);

} // namespace tilus

#include "Tilus/IR/TilusInterfaces.h.inc"
