// What is known of the integers of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the facts of each value: from its definition, from parameters' divisibility, from loops and from the
// assumptions and conditions under which it is used.
//
#pragma once

#include "Tilus/Analysis/ScalarFacts.h"
#include "Tilus/IR/TilusOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace tilus {

/// Bits of an integer or index; nothing for other types.
std::optional<unsigned> getScalarWidth(mlir::Type type);

/// The value that `value` is a widening of, through any number of sign extensions and casts between integers
/// and index that keep all bits; `value` itself if it is none.
mlir::Value peelExtensions(mlir::Value value);

/// Says that `value * scale + extra <= bound`, without overflow, for every value that occurs.
struct SymbolicBound {
  mlir::Value bound;
  int64_t scale = 1;
  int64_t extra = 1;
};

/// Sound facts on the integers of a kernel's body. Facts hold for the executions that reach their place: a
/// condition or an assumption counts only where it is known to hold. The analysis refers to the IR and is
/// invalid once that changes.
class ScalarAnalysis {
public:
  explicit ScalarAnalysis(KernelOp kernel);

  /// Facts on an integer or index where `user` uses it; those of any integer if nothing is known.
  ScalarFacts getFacts(mlir::Value value, mlir::Operation *user) const;

  /// Whether `value + extent <= bound` at `user`, without overflow. The bound is a value of the kernel.
  bool isBelow(mlir::Value value, int64_t extent, mlir::Value bound, mlir::Operation *user) const;

private:
  struct Refinement {
    mlir::Value value;
    ScalarFacts facts;
    /// The op behind which the facts hold in its block; null if they hold in all of the block.
    mlir::Operation *after;
  };

  void analyzeParams(KernelOp kernel);
  void analyzeGrid(KernelOp kernel);
  void analyzeBlock(mlir::Block &block);
  void analyzeOp(mlir::Operation *op);
  void analyzeFor(mlir::scf::ForOp loop);
  void analyzeInduction(mlir::scf::ForOp loop);
  void analyzeIf(mlir::scf::IfOp branch);
  void analyzeUnknownRegions(mlir::Operation *op);
  ScalarFacts evaluateOp(mlir::Operation *op) const;
  void boundResult(mlir::Operation *op);
  void boundSum(mlir::Operation *op, mlir::Value value, mlir::Value addend);
  void boundProduct(mlir::Operation *op, mlir::Value value, int64_t factor);
  void addBound(mlir::Value value, mlir::Value bound, int64_t scale, int64_t extra);
  void addQuotientBound(mlir::Value value, mlir::Value bound, mlir::Operation *user);
  void setFacts(mlir::Value value, const ScalarFacts &facts);
  void refine(mlir::Block *block, mlir::Operation *after, mlir::Value condition, bool isTrue);

  llvm::DenseMap<mlir::Value, ScalarFacts> facts;
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<Refinement, 2>> refinements;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<SymbolicBound, 1>> bounds;
  std::array<ScalarFacts, 3> gridFacts;
  std::array<mlir::Value, 3> gridValues;
};

/// What holds of a value if a condition does.
struct Assumption {
  mlir::Value value;
  ScalarFacts facts;
};

/// What follows for the integers that a condition tests if it is true, or if it is false: conjunctions of
/// comparisons with constants and of `x % c == 0`, through casts that keep the value.
llvm::SmallVector<Assumption> collectAssumptions(mlir::Value condition, bool isTrue = true);

} // namespace tilus
