// Slots of a ring of stages in shared memory, told apart by their indices modulo the number of stages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Analysis/ScalarAnalysis.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace tilus {

/// The part of an allocation at the index `(base + offset) mod modulus` of one of its dimensions, or at the
/// index `offset` if there is no base.
struct RingSlot {
  /// The handle that the allocation itself gives.
  mlir::Value tile;
  int64_t dim = 0;
  mlir::Value base;
  /// In [0, modulus).
  int64_t offset = 0;
  /// The size of the dimension.
  int64_t modulus = 0;

  /// Whether both are parts of one ring that share no byte, for one and the same value of the base.
  bool isApartFrom(const RingSlot &other) const;
  /// The slot seen from the first trip of the loop: an index that its induction variable has is named by it.
  RingSlot enter(mlir::LoopLikeOpInterface loop) const;
  /// The slot seen from the next trip of the loop, where an induction variable has moved on; nullopt if the
  /// base is another value then, which is not known.
  std::optional<RingSlot> advance(mlir::LoopLikeOpInterface loop) const;
  /// The slot seen from behind the loop; nullopt if the base has no value there.
  std::optional<RingSlot> leave(mlir::LoopLikeOpInterface loop) const;

  bool operator==(const RingSlot &other) const {
    return tile == other.tile && dim == other.dim && base == other.base && offset == other.offset &&
           modulus == other.modulus;
  }
};

/// The slot that the handle, whose sources have layouts, lies in; nullopt if it is none, if parts of the
/// allocation with different indices may share bytes, or if the index may wrap around.
std::optional<RingSlot> getRingSlot(mlir::Value handle, const ScalarAnalysis &scalars);

} // namespace tilus
