// Gives every tile of a kernel its layout and converts where layouts differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "LayoutCosts.h"
#include "LayoutHints.h"

namespace tilus {

/// Walks a kernel in program order, so that operands have their layouts before the op that uses them is
/// decided, and sets the types of all tiles. Cannot fail: where no rule applies, operands keep their layouts
/// and results get their hints.
class LayoutAssignment {
public:
  LayoutAssignment(const CarriedTiles &carried, const LayoutHints &hints, LayoutCosts &costs,
                   bool emitRemarks)
      : carried(carried), hints(hints), costs(costs), emitRemarks(emitRemarks) {}

  void run(KernelOp kernel);

private:
  void visitRegion(mlir::Region &region);
  void visit(mlir::Operation *op);
  /// Ops whose tiles have one layout: the cheapest among those of the operands and the hint.
  void visitSame(mlir::Operation *op);
  /// Loads and stores: the layout of the access, or that of the neighbours if converting costs more.
  void visitAccess(mlir::Operation *op);
  /// Gives operands of an op that are one tile values of their own, so that they can have layouts of their
  /// own.
  void splitRepeatedOperands(mlir::Operation *op);
  /// Ops with a rule of their own.
  void visitRule(mlir::Operation *op);
  /// Ops without a condition on layouts.
  void visitFree(mlir::Operation *op);

  /// The layout that the tile has, or will have if it is made anew.
  RegisterLayoutAttr getActual(mlir::Value tile) const;
  /// The pinned layout of a result that has not been visited, else its hint.
  RegisterLayoutAttr getWanted(mlir::Value result) const;
  /// Makes the operand have the layout: by a new constant or index, or by a conversion.
  void require(mlir::OpOperand &operand, RegisterLayoutAttr layout);
  mlir::Value rematerialize(mlir::Value tile, RegisterLayoutAttr layout);
  /// Gives a result its layout; where its type is pinned to another, its users get a conversion.
  void assign(mlir::OpResult result, RegisterLayoutAttr layout);
  void remarkConversion(ConvertLayoutOp convert);
  /// Drops the originals of what was made anew.
  void finishRematerialized(KernelOp kernel);

  const CarriedTiles &carried;
  const LayoutHints &hints;
  LayoutCosts &costs;
  bool emitRemarks;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, mlir::Value> remade;
};

} // namespace tilus
