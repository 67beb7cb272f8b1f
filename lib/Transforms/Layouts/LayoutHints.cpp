// The layout that each tile of a kernel would best have.
//
// Phases: pinned layouts; seeds in the order of their priority, each spread breadth-first before the next,
// but not from a tile to one that it is stretched to, of which it says little; that; defaults in program
// order, spread likewise. A tile keeps its first layout, so each op is visited at most once for each of its
// tiles.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutHints.h"
#include "TileRules.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilus;

LayoutHints::LayoutHints(KernelOp kernel, const CarriedTiles &carried, bool emitRemarks)
    : carried(carried), emitRemarks(emitRemarks) {
  collectTiles(kernel);
  pin();
  seed(kernel);
  spreadStretched();
  fillDefaults();
}

void LayoutHints::collectTiles(KernelOp kernel) {
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Value result : op->getResults())
      if (isTile(result))
        tiles.push_back(result);
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        if (isTile(argument))
          tiles.push_back(argument);
  });
}

void LayoutHints::pin() {
  for (Value tile : tiles)
    if (RegisterLayoutAttr layout = getTileLayout(tile.getType()))
      set(tile, layout);
  // A tile of one element has but one layout; nothing follows from it for others.
  for (Value tile : tiles)
    if (getTileType(tile).getNumElements() == 1)
      hints.try_emplace(carried.getLeader(tile), getDefaultLayout(tile));
  spread();
}

/// What an op's wish weighs: ops of a higher class go first, and within it those that move more bytes.
static std::optional<std::pair<int, int64_t>> getSeedWeight(Operation *op) {
  enum { kShared, kGlobal, kMatrix };
  Value tile = isa<MmaOp>(op) ? op->getResult(0) : getAccessedTile(op);
  if (!tile)
    return std::nullopt;
  int kind = isa<MmaOp>(op) ? kMatrix : isa<LoadGlobalOp, StoreGlobalOp>(op) ? kGlobal : kShared;
  int64_t bytes = llvm::divideCeil(getTileType(tile).getNumElements() * getTileElementBits(tile), 8);
  constexpr int64_t kTripsAssumed = 8, kMostBytes = int64_t(1) << 50;
  for (Operation *parent = op->getParentOp(); parent; parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent) && bytes < kMostBytes)
      bytes *= kTripsAssumed;
  return std::pair(kind, bytes);
}

void LayoutHints::seed(KernelOp kernel) {
  // Descending by weight, then in program order.
  SmallVector<std::tuple<std::pair<int, int64_t>, int64_t, Operation *>> seeds;
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto weight = getSeedWeight(op))
      seeds.push_back({*weight, -int64_t(seeds.size()), op});
  });
  llvm::sort(seeds, [](const auto &a, const auto &b) { return a > b; });
  for (auto [weight, place, op] : seeds) {
    visit(op);
    spread();
    Value tile = isa<MmaOp>(op) ? op->getResult(0) : getAccessedTile(op);
    if (emitRemarks)
      op->emitRemark("prefers the layout ") << get(tile);
  }
}

void LayoutHints::spreadStretched() {
  areSeedsSpread = true;
  for (Operation *op : stretched) {
    visit(op);
    spread();
  }
}

void LayoutHints::fillDefaults() {
  // Tiles that can be made anew wait for the wishes of their users.
  for (bool isLast : {false, true})
    for (Value tile : tiles) {
      if (isRematerializable(tile) != isLast || get(tile))
        continue;
      set(tile, getDefaultLayout(tile));
      spread();
    }
}

void LayoutHints::set(Value tile, RegisterLayoutAttr layout) {
  Value leader = carried.getLeader(tile);
  if (!hints.try_emplace(leader, layout).second)
    return;
  // Nothing spreads through what is made anew for each user.
  if (isRematerializable(tile))
    return;
  enqueueNeighbours(tile);
  for (Value member : carried.getMembers(leader))
    if (member != tile)
      enqueueNeighbours(member);
  for (Value source : carried.getSources(leader))
    set(source, layout);
  for (Value member : carried.getMembers(leader))
    for (Value target : carried.getTargets(member))
      set(target, layout);
  for (Value target : carried.getTargets(tile))
    set(target, layout);
}

void LayoutHints::enqueueNeighbours(Value tile) {
  auto enqueue = [&](Operation *op) {
    if (queued.insert(op).second)
      queue.push_back(op);
  };
  if (Operation *op = tile.getDefiningOp())
    enqueue(op);
  for (Operation *user : tile.getUsers())
    enqueue(user);
}

void LayoutHints::spread() {
  while (!queue.empty()) {
    Operation *op = queue.front();
    queue.pop_front();
    queued.erase(op);
    visit(op);
  }
}

void LayoutHints::visit(Operation *op) {
  SmallVector<Value, 4> opTiles;
  for (Value result : op->getResults())
    if (isTile(result))
      opTiles.push_back(result);
  for (Value operand : op->getOperands())
    if (isTile(operand))
      opTiles.push_back(operand);
  if (llvm::all_of(opTiles, [&](Value tile) { return bool(get(tile)); }))
    return;

  if (hasSameLayouts(op) || isa<ConvertLayoutOp>(op)) {
    // A tile that is made anew for each user says nothing about the op.
    for (Value tile : opTiles)
      if (RegisterLayoutAttr layout = get(tile); layout && !isRematerializable(tile)) {
        for (Value other : opTiles)
          set(other, layout);
        return;
      }
    return;
  }
  if (isa<BroadcastOp>(op) && !areSeedsSpread && !get(op->getResult(0))) {
    stretched.push_back(op);
    return;
  }
  RuleQuery query(op);
  for (Value tile : opTiles)
    if (!isRematerializable(tile) || tile.getDefiningOp() == op)
      query.know(tile, get(tile));
  query.ask();
  for (Value tile : opTiles)
    if (RegisterLayoutAttr layout = query.lookup(tile))
      set(tile, layout);
}
