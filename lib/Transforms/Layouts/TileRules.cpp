// What layout inference knows of single ops: the rule that applies, the default layout, the access vector.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TileRules.h"
#include "Tilus/Layout/BankConflicts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilus;

int64_t tilus::getHolderThreads(Value tile) {
  if (Operation *op = tile.getDefiningOp())
    return getNumThreads(op);
  // A block argument belongs to the group around the op that has the block, unless that op is the group.
  return getNumThreads(&tile.getParentBlock()->front());
}

bool tilus::hasSameLayouts(Operation *op) {
  return op->hasTrait<tilus::OpTrait::SameLayout>() || op->hasTrait<mlir::OpTrait::Elementwise>();
}

bool tilus::isRematerializable(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<BroadcastOp>(op))
    return !isTile(broadcast.getSource());
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return isa<DenseElementsAttr>(constant.getValue());
  return isa_and_nonnull<IotaOp>(op);
}

/// Elements of the vector that an access of 16 bytes holds.
static int64_t getWidestVector(int64_t elementBits) {
  return llvm::bit_floor(uint64_t(kMaxAccessBytes * 8 / elementBits));
}

RegisterLayoutAttr tilus::getDefaultLayout(Value tile) {
  ArrayRef<int64_t> shape = getTileType(tile).getShape();
  int64_t threads = getHolderThreads(tile), share = ShapedType::getNumElements(shape) / threads;
  int64_t vector = getWidestVector(getTileElementBits(tile));
  while (vector > 1 && vector > share)
    vector /= 2;
  return RegisterLayoutAttr::get(
      tile.getContext(), RegisterLayout::distribute(threads, shape, int64_t(shape.size()) - 1, vector));
}

Value tilus::getAccessedTile(Operation *op) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<LoadGlobalOp, LoadSharedOp>([](auto load) { return load.getResult(); })
      .Case<StoreGlobalOp, StoreSharedOp>([](auto store) { return store.getValue(); })
      .Default([](Operation *) { return Value(); });
}

/// The dimension of a shared tile whose neighbours lie next to each other in memory, if the layout is known.
static std::optional<int64_t> findUnitDim(SharedType type) {
  if (!type.getLayout())
    return std::nullopt;
  const SharedLayout &layout = type.getLayout().getLayout();
  for (int64_t dim = layout.getRank(); dim-- > 0;)
    if (layout.getContiguousRun(dim) > 1)
      return dim;
  return std::nullopt;
}

AccessVector tilus::getAccessVector(Operation *access) {
  Value tile = getAccessedTile(access);
  int64_t rank = tile ? getTileType(tile).getRank() : 0;
  AccessVector vector{std::max<int64_t>(rank - 1, 0), 1};
  if (rank == 0)
    return vector;
  if (auto load = dyn_cast<LoadSharedOp>(access))
    return {findUnitDim(load.getSource().getType()).value_or(vector.dim),
            getWidestVector(getTileElementBits(tile))};
  if (auto store = dyn_cast<StoreSharedOp>(access))
    return {findUnitDim(store.getDest().getType()).value_or(vector.dim),
            getWidestVector(getTileElementBits(tile))};
  if (auto dim = access->getAttrOfType<IntegerAttr>(TilusDialect::kVectorDimAttrName))
    vector.dim = std::clamp<int64_t>(dim.getInt(), 0, rank - 1);
  if (auto size = access->getAttrOfType<IntegerAttr>(TilusDialect::kVectorAttrName))
    vector.size = std::max<int64_t>(size.getInt(), 1);
  return vector;
}

//===----------------------------------------------------------------------===//
// RuleQuery
//===----------------------------------------------------------------------===//

RuleQuery::RuleQuery(Operation *op) : op(op), numThreads(::tilus::getNumThreads(op)) {}

void RuleQuery::know(Value tile, RegisterLayoutAttr layout) {
  if (layout && !lookup(tile))
    entries.push_back({tile, layout});
}

void RuleQuery::ask() {
  if (auto rule = dyn_cast<LayoutOpInterface>(op))
    rule.inferLayouts(*this);
}

RegisterLayoutAttr RuleQuery::lookup(Value tile) const {
  for (auto &[value, layout] : entries)
    if (value == tile)
      return layout;
  return {};
}

const RegisterLayout *RuleQuery::get(Value tile) const {
  RegisterLayoutAttr layout = lookup(tile);
  return layout ? &layout.getLayout() : nullptr;
}

void RuleQuery::propose(Value tile, const RegisterLayout &layout) {
  if (!isTile(tile) || lookup(tile) || layout.getNumThreads() != numThreads ||
      layout.getShape() != getTileType(tile).getShape())
    return;
  entries.push_back({tile, RegisterLayoutAttr::get(op->getContext(), layout)});
}
