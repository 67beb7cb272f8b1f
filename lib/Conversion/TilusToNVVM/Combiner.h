// Combining values within a thread, across lanes and across threads, as reductions and scans do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "ScratchExchange.h"
#include "WarpExchange.h"

namespace tilus {

/// What the combinations of one op share. Values are accumulators: f32 for narrower floats.
class Combiner {
public:
  Combiner(mlir::OpBuilder &builder, mlir::Location loc, const LoweringContext &context, mlir::Operation *op,
           CombineKind kind, mlir::Type element)
      : builder(builder), loc(loc), context(context), op(op), group(context.getGroup(op)), kind(kind),
        element(element), accumulator(getAccumulator(element)) {}

  llvm::SmallVector<mlir::Value> widen(llvm::ArrayRef<mlir::Value> slots);
  llvm::SmallVector<mlir::Value> narrow(llvm::ArrayRef<mlir::Value> values);

  /// Combines all values of a list, in pairs.
  mlir::Value fold(llvm::SmallVector<mlir::Value> values);
  /// Combines across lanes; all lanes get the result.
  llvm::SmallVector<mlir::Value> foldLanes(llvm::ArrayRef<mlir::Value> values, const ReducePlan &plan);
  /// Combines with the partners' values in scratch.
  llvm::SmallVector<mlir::Value> foldScratch(llvm::ArrayRef<mlir::Value> values, const ReducePlan &plan);

protected:
  /// What changes no value that it is combined with, NaN included: the identity, but for `maxnum` and
  /// `minnum` NaN.
  mlir::Value createNeutral();
  mlir::Value combine(mlir::Value a, mlir::Value b) { return createCombine(builder, loc, kind, a, b); }
  mlir::Value getThread() { return createThreadId(builder, loc, context, group); }
  mlir::Value getDigit(const ThreadDigit &digit) {
    return createThreadDigit(builder, loc, context, group, digit);
  }

  ScratchExchange getScratch() { return ScratchExchange(builder, loc, context, op, accumulator); }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  const LoweringContext &context;
  mlir::Operation *op;
  ThreadGroup group;
  CombineKind kind;
  mlir::Type element, accumulator;

private:
  static mlir::Type getAccumulator(mlir::Type element) {
    if (llvm::isa<mlir::FloatType>(element) && getSlotBits(element) < 64)
      return mlir::Float32Type::get(element.getContext());
    return getSlotType(element);
  }
  mlir::Value redux(mlir::Value value, mlir::Value members);
};

} // namespace tilus
