// Values that threads hand to one another through the scratch memory of an op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lowering.h"
#include "Tilus/Layout/CombinePlan.h"

namespace tilus {

/// The digit of a thread's number in its group.
mlir::Value createThreadDigit(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
                              ThreadGroup group, const ThreadDigit &digit);

/// Leaves and fetches values of one type, an integer or a float, at the places of a plan (lib/Layout). Each
/// takes up 4 bytes, or 8 if it has 64 bits.
class ScratchExchange {
public:
  ScratchExchange(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context,
                  mlir::Operation *op, mlir::Type type);

  /// Leaves values in scratch, from value number `begin` on, and waits for all threads to do so.
  void leave(llvm::ArrayRef<mlir::Value> values, const ScratchPlaces &places, int64_t begin = 0);
  /// The thread's place, with the digits `others` taken as zero.
  mlir::Value getPlace(const ScratchPlaces &places, llvm::ArrayRef<ThreadDigit> others = {});
  /// The `count` values left at the place `base` (i32) plus a constant.
  llvm::SmallVector<mlir::Value> fetch(mlir::Value base, int64_t offset, const ScratchPlaces &places,
                                       int64_t count, int64_t begin = 0);

private:
  mlir::Value getPointer(mlir::Value place, int64_t constant, int64_t vector);
  int64_t getVector(int64_t begin, int64_t count) const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const LoweringContext &context;
  mlir::Operation *op;
  ThreadGroup group;
  mlir::Type type, word;
};

/// Hands the values of representatives to all replicas, by shuffles or through the scratch of the op.
llvm::SmallVector<mlir::Value> createReplicas(mlir::OpBuilder &builder, mlir::Location loc,
                                              const LoweringContext &context, mlir::Operation *op,
                                              const RegisterLayout &layout,
                                              llvm::ArrayRef<mlir::Value> values);

} // namespace tilus
