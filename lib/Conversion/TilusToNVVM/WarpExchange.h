// Shuffles of values of any element type between the lanes of a warp, and slots as words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lowering.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace tilus {

/// Slots of one type, which is no larger than a word or a multiple of it, as words of `wordBits` bits, the
/// first slot at the little end of the first word. Booleans take a byte. Missing slots at the end are zero.
llvm::SmallVector<mlir::Value> packWords(mlir::OpBuilder &builder, mlir::Location loc,
                                         llvm::ArrayRef<mlir::Value> slots, int64_t wordBits);
/// The inverse: `count` slots of this type.
llvm::SmallVector<mlir::Value> unpackWords(mlir::OpBuilder &builder, mlir::Location loc,
                                           mlir::ValueRange words, mlir::Type slot, int64_t count);

/// The lanes of the warps of a group that forms warps (see formsWarps).
class WarpExchange {
public:
  WarpExchange(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
               ThreadGroup group);

  /// The lanes of the group in the thread's warp, one bit each.
  mlir::Value getMembers() const { return members; }
  /// The lane of the warp that is lane `lane` (i32) of the group's threads.
  mlir::Value getLane(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value lane) const;

  /// The values that another lane offers: lane `offset` (i32, as `getLane` gives it) for `idx`, the lane that
  /// far away for `up`, `down` and `bfly`. Values narrower than a word share one.
  llvm::SmallVector<mlir::Value> shuffle(mlir::OpBuilder &builder, mlir::Location loc,
                                         mlir::NVVM::ShflKind kind, llvm::ArrayRef<mlir::Value> values,
                                         mlir::Value offset) const;
  /// One value from the lane `distance` away.
  mlir::Value shuffle(mlir::OpBuilder &builder, mlir::Location loc, mlir::NVVM::ShflKind kind,
                      mlir::Value value, int64_t distance) const;

private:
  mlir::Value members;
  int64_t firstLane;
};

} // namespace tilus
