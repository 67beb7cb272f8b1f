// Values that structured control flow hands from one place to another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace tilus {

/// The block arguments and results that receive values along the edges of loops and branches. Those that one
/// operand may flow into need one type and form a set, named by its leader.
class CarriedTiles {
public:
  /// Collects the sets of all ops nested in `root`, of the values that satisfy the predicate.
  CarriedTiles(mlir::Operation *root, llvm::function_ref<bool(mlir::Value)> isOfInterest);

  /// The leader of the tile's set; the tile itself if it is not carried.
  mlir::Value getLeader(mlir::Value tile) const;
  /// The members of the leader's set; empty for tiles that are not carried.
  llvm::ArrayRef<mlir::Value> getMembers(mlir::Value leader) const;
  /// The tiles that flow into the leader's set.
  llvm::ArrayRef<mlir::Value> getSources(mlir::Value leader) const;
  /// The leaders of the sets that the tile flows into.
  llvm::ArrayRef<mlir::Value> getTargets(mlir::Value tile) const;
  /// The leader of the set that the operand flows into; null if it does not flow anywhere.
  mlir::Value getTarget(mlir::OpOperand &operand) const;

private:
  using Predicate = llvm::function_ref<bool(mlir::Value)>;
  void collect(mlir::Operation *op, Predicate isOfInterest);
  void addEdge(mlir::OpOperand &operand, llvm::ArrayRef<mlir::Value> inputs, Predicate isOfInterest);
  void unite(mlir::Value first, mlir::Value second);

  using ValueList = llvm::SmallVector<mlir::Value, 2>;
  llvm::DenseMap<mlir::Value, mlir::Value> parents;
  llvm::DenseMap<mlir::Value, ValueList> members, sources, targets;
  llvm::DenseMap<mlir::OpOperand *, mlir::Value> operandTargets;
  llvm::SmallVector<std::pair<mlir::OpOperand *, mlir::Value>> edges;
};

} // namespace tilus
