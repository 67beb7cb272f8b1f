// Gives every tile of a kernel its layout and converts where layouts differ.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutAssignment.h"
#include "TileRules.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilus;

void LayoutAssignment::run(KernelOp kernel) {
  visitRegion(kernel.getBody());
  finishRematerialized(kernel);
}

void LayoutAssignment::visitRegion(Region &region) {
  for (Block &block : region) {
    for (Value argument : block.getArguments())
      if (isTile(argument) && !getTileLayout(argument.getType()))
        argument.setType(withTileLayout(getTileType(argument), hints.get(argument)));
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }
}

void LayoutAssignment::visit(Operation *op) {
  if (op->getNumResults() == 1 && isTile(op->getResult(0)) && isRematerializable(op->getResult(0)))
    return;
  for (OpOperand &operand : op->getOpOperands())
    if (Value leader = carried.getTarget(operand))
      require(operand, hints.get(leader));
  if (hasSameLayouts(op))
    visitSame(op);
  else if (getAccessedTile(op))
    visitAccess(op);
  else if (isa<LayoutOpInterface>(op))
    visitRule(op);
  else
    visitFree(op);
  for (Region &region : op->getRegions())
    visitRegion(region);
}

/// Makes a rematerializable tile again in a layout.
static Value cloneWithLayout(OpBuilder &builder, Value tile, RegisterLayoutAttr layout) {
  RankedTensorType type = withTileLayout(getTileType(tile), layout);
  Operation *clone = builder.clone(*tile.getDefiningOp());
  if (auto constant = dyn_cast<arith::ConstantOp>(clone))
    constant.setValueAttr(cast<DenseElementsAttr>(constant.getValue()).reshape(type));
  clone->getResult(0).setType(type);
  return clone->getResult(0);
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

void LayoutAssignment::visitSame(Operation *op) {
  SmallVector<Value, 4> operands;
  SmallVector<RegisterLayoutAttr, 4> candidates;
  SmallVector<OpResult, 1> results;
  for (OpResult result : op->getResults())
    if (isTile(result))
      results.push_back(result);
  for (OpResult result : results)
    candidates.push_back(getWanted(result));
  for (Value operand : op->getOperands()) {
    if (!isTile(operand) || isRematerializable(operand) || llvm::is_contained(operands, operand))
      continue;
    operands.push_back(operand);
    candidates.push_back(getActual(operand));
  }
  if (candidates.empty())
    for (Value operand : op->getOperands())
      if (isTile(operand))
        candidates.push_back(getActual(operand));
  if (candidates.empty())
    return;

  auto getCost = [&](RegisterLayoutAttr layout) {
    int64_t cost = 0;
    for (Value operand : operands)
      cost += costs.getConversion(getActual(operand), layout, getTileElementBits(operand));
    for (OpResult result : results)
      cost += costs.getConversion(layout, getWanted(result), getTileElementBits(result));
    return cost;
  };
  RegisterLayoutAttr best = candidates.front();
  int64_t bestCost = getCost(best);
  for (RegisterLayoutAttr layout : ArrayRef(candidates).drop_front()) {
    if (bestCost == 0)
      break;
    if (int64_t cost = getCost(layout); cost < bestCost)
      std::tie(best, bestCost) = std::pair(layout, cost);
  }
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      require(operand, best);
  for (OpResult result : results)
    assign(result, best);
}

void LayoutAssignment::visitAccess(Operation *op) {
  Value tile = getAccessedTile(op);
  bool isLoad = tile.getDefiningOp() == op;
  RegisterLayoutAttr neighbour = isLoad ? getWanted(tile) : getActual(tile), chosen = neighbour;
  RuleQuery query(op);
  query.ask();
  RegisterLayoutAttr own = query.lookup(tile);
  bool isFree = !isLoad && isRematerializable(tile);
  if (own && isFree)
    chosen = own;
  else if (own && isa<LoadGlobalOp, StoreGlobalOp>(op)) {
    int64_t bits = getTileElementBits(tile);
    int64_t conversion =
        isLoad ? costs.getConversion(own, neighbour, bits) : costs.getConversion(neighbour, own, bits);
    if (conversion + getGlobalAccessCost(op, own.getLayout()) <
        getGlobalAccessCost(op, neighbour.getLayout()))
      chosen = own;
  }
  if (isLoad)
    assign(cast<OpResult>(tile), chosen);
  else
    require(op->getOpOperand(0), chosen);
}

void LayoutAssignment::splitRepeatedOperands(Operation *op) {
  SmallVector<Value, 4> seen;
  for (OpOperand &operand : op->getOpOperands()) {
    Value tile = operand.get();
    if (!isTile(tile) || !llvm::is_contained(seen, tile)) {
      seen.push_back(tile);
      continue;
    }
    OpBuilder builder(op);
    if (isRematerializable(tile))
      operand.set(cloneWithLayout(builder, tile, getActual(tile)));
    else
      operand.set(ConvertLayoutOp::create(builder, op->getLoc(), tile.getType(), tile));
  }
}

void LayoutAssignment::visitRule(Operation *op) {
  splitRepeatedOperands(op);
  RuleQuery backward(op);
  for (Value result : op->getResults())
    if (isTile(result))
      backward.know(result, getWanted(result));
  backward.ask();

  // The results can keep their wishes if the rule derived every operand from them.
  bool isDerived = true;
  RuleQuery forward(op);
  for (Value operand : op->getOperands()) {
    if (!isTile(operand))
      continue;
    RegisterLayoutAttr required = backward.lookup(operand);
    isDerived &= bool(required);
    forward.know(operand, required ? required : getActual(operand));
  }
  if (auto mma = dyn_cast<MmaOp>(op))
    isDerived &= backward.lookup(mma.getAcc()) == getWanted(mma.getResult());
  if (!isDerived)
    forward.ask();

  // Where the rule leads from neither side to the other, it speaks on its own.
  bool isOpen = !isDerived && llvm::any_of(op->getResults(), [&](Value result) {
    return isTile(result) && !forward.lookup(result);
  });
  RuleQuery own(op);
  if (isOpen)
    own.ask();
  auto pick = [&](Value tile, RegisterLayoutAttr layout) {
    RegisterLayoutAttr spoken = own.lookup(tile);
    return spoken ? spoken : layout;
  };
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      require(operand, pick(operand.get(), forward.lookup(operand.get())));
  for (OpResult result : op->getResults()) {
    if (!isTile(result))
      continue;
    RegisterLayoutAttr layout = isDerived ? getWanted(result) : forward.lookup(result);
    layout = pick(result, layout);
    assign(result, layout ? layout : getWanted(result));
  }
}

void LayoutAssignment::visitFree(Operation *op) {
  for (OpOperand &operand : op->getOpOperands())
    if (isTile(operand.get()))
      require(operand, getActual(operand.get()));
  for (OpResult result : op->getResults())
    if (isTile(result))
      assign(result, getWanted(result));
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    remarkConversion(convert);
}

//===----------------------------------------------------------------------===//
// Changes to the IR
//===----------------------------------------------------------------------===//

RegisterLayoutAttr LayoutAssignment::getActual(Value tile) const {
  RegisterLayoutAttr layout = getTileLayout(tile.getType());
  return layout ? layout : hints.get(tile);
}

RegisterLayoutAttr LayoutAssignment::getWanted(Value result) const { return getActual(result); }

/// The op before which to convert a tile for `user`: the user itself, or the outermost loop around it that
/// does not make the tile.
static Operation *findConversionPoint(Value tile, Operation *user) {
  Operation *point = user;
  Region *home = tile.getParentRegion();
  for (Operation *parent = user->getParentOp(); parent != home->getParentOp(); parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      point = parent;
  return point;
}

void LayoutAssignment::require(OpOperand &operand, RegisterLayoutAttr layout) {
  Value tile = operand.get();
  if (isRematerializable(tile)) {
    operand.set(rematerialize(tile, layout));
    return;
  }
  if (getActual(tile) == layout)
    return;
  OpBuilder builder(findConversionPoint(tile, operand.getOwner()));
  auto convert = ConvertLayoutOp::create(builder, operand.getOwner()->getLoc(),
                                         withTileLayout(getTileType(tile), layout), tile);
  operand.set(convert);
  remarkConversion(convert);
}

Value LayoutAssignment::rematerialize(Value tile, RegisterLayoutAttr layout) {
  RankedTensorType type = withTileLayout(getTileType(tile), layout);
  if (tile.getType() == type)
    return tile;
  Value &made = remade[{tile, layout}];
  if (made)
    return made;
  OpBuilder builder(tile.getContext());
  builder.setInsertionPointAfter(tile.getDefiningOp());
  return made = cloneWithLayout(builder, tile, layout);
}

void LayoutAssignment::assign(OpResult result, RegisterLayoutAttr layout) {
  RankedTensorType type = getTileType(result), assigned = withTileLayout(type, layout);
  result.setType(assigned);
  if (!getTileLayout(type) || type == assigned)
    return;
  OpBuilder builder(result.getContext());
  builder.setInsertionPointAfter(result.getOwner());
  auto convert = ConvertLayoutOp::create(builder, result.getLoc(), type, result);
  result.replaceAllUsesExcept(convert, convert);
  remarkConversion(convert);
}

void LayoutAssignment::remarkConversion(ConvertLayoutOp convert) {
  if (!emitRemarks)
    return;
  RegisterLayoutAttr from = getTileLayout(convert.getSource().getType()),
                     to = getTileLayout(convert.getResult().getType());
  auto plan = planConversion(from.getLayout(), to.getLayout(), getTileElementBits(convert.getSource()));
  if (plan && plan->kind != ConversionKind::Identity)
    convert.emitRemark("converts the layout by ")
        << describeConversion(plan->kind) << ", " << plan->cost << " cycles a warp";
}

void LayoutAssignment::finishRematerialized(KernelOp kernel) {
  kernel.getBody().walk([&](Operation *op) {
    if (op->getNumResults() != 1 || !isTile(op->getResult(0)) || !isRematerializable(op->getResult(0)) ||
        getTileLayout(op->getResult(0).getType()))
      return;
    Value original = op->getResult(0);
    if (!original.use_empty())
      original.replaceAllUsesWith(rematerialize(original, hints.get(original)));
    op->erase();
  });
}
