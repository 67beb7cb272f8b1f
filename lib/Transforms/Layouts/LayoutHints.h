// The layout that each tile of a kernel would best have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CarriedTiles.h"
#include "Tilus/IR/TilusOps.h"
#include "llvm/ADT/DenseSet.h"

#include <deque>

namespace tilus {

/// Preferred layouts: pinned ones, then those that spread from the ops that care most - matrix products,
/// accesses to global memory by bytes, accesses to shared memory - through the rules of their neighbours,
/// from small tiles to those that they are stretched to last, then defaults. They bind nothing: the
/// assignment follows them where it can.
class LayoutHints {
public:
  LayoutHints(KernelOp kernel, const CarriedTiles &carried, bool emitRemarks);

  /// The preferred layout of a tile of the kernel.
  RegisterLayoutAttr get(mlir::Value tile) const { return hints.lookup(carried.getLeader(tile)); }

private:
  void collectTiles(KernelOp kernel);
  void pin();
  void seed(KernelOp kernel);
  void spreadStretched();
  void fillDefaults();
  /// Gives a tile its layout unless it has one, and queues what may follow from it.
  void set(mlir::Value tile, RegisterLayoutAttr layout);
  void enqueueNeighbours(mlir::Value tile);
  /// Works the queue off.
  void spread();
  /// Asks the rule of the op for layouts of tiles that have none.
  void visit(mlir::Operation *op);

  const CarriedTiles &carried;
  bool emitRemarks;
  llvm::SmallVector<mlir::Value> tiles;
  llvm::DenseMap<mlir::Value, RegisterLayoutAttr> hints;
  std::deque<mlir::Operation *> queue;
  llvm::DenseSet<mlir::Operation *> queued;
  /// Broadcasts of which the source alone has a layout: they wait until every seed has spread.
  llvm::SmallVector<mlir::Operation *> stretched;
  bool areSeedsSpread = false;
};

} // namespace tilus
