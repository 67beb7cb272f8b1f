// Atomic updates and scattered stores.
//
// The elements of a tile are applied in row-major order, so results are the same in each execution; of
// repeated indices of a scattered store the last one stays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Elementwise.h"
#include "Handlers.h"
#include "MemoryOps.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// The value after an update of `old`.
static uint64_t update(AtomicKind kind, const Element &element, uint64_t old, uint64_t value,
                       uint64_t compare) {
  if (element.isFloat() && (kind == AtomicKind::Add || kind == AtomicKind::Sub)) {
    double change = element.format.decode(value);
    return element.format.encode(element.format.decode(old) + (kind == AtomicKind::Add ? change : -change),
                                 Overflow::Special);
  }
  bool isBelow = element.toSigned(old) < element.toSigned(value);
  switch (kind) {
  case AtomicKind::Add:
    return old + value;
  case AtomicKind::Sub:
    return old - value;
  case AtomicKind::Max:
    return isBelow ? value : old;
  case AtomicKind::Min:
    return isBelow ? old : value;
  case AtomicKind::UMax:
    return std::max(old, value);
  case AtomicKind::UMin:
    return std::min(old, value);
  case AtomicKind::And:
    return old & value;
  case AtomicKind::Or:
    return old | value;
  case AtomicKind::Xor:
    return old ^ value;
  case AtomicKind::Exch:
    return value;
  case AtomicKind::Cas:
    return old == compare ? value : old;
  }
  llvm_unreachable("the kinds of the dialect are listed above");
}

/// Ends an update that may have a result.
static Step finish(Agent &agent, const Instruction &inst, Tile &&old) {
  if (!inst.results.empty())
    agent.setTile(inst, std::move(old));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

static Step runAtomic(Agent &agent, const Instruction &inst) {
  auto op = cast<AtomicOp>(inst.op);
  unsigned valueOperand = 1 + op.getOffsets().size();
  const Tile &value = agent.getTile(inst, valueOperand);
  const Tile *compare = op.getCompare() ? &agent.getTile(inst, valueOperand + 1) : nullptr;
  Tile old(value.element, value.shape);
  auto apply = [&](int64_t i, uint64_t before) {
    old.setCode(i, before);
    return update(op.getKind(), value.element, before, value.getCode(i), compare ? compare->getCode(i) : 0);
  };
  if (isa<SharedType>(op.getDest().getType())) {
    const SharedTile &dest = agent.getShared(inst, 0);
    if (failed(accessShared(agent, inst, AccessKind::Atomic, dest)))
      return Step::Failed;
    for (int64_t i = 0; i < value.count; ++i)
      dest.buffer->setCode(dest.getPlace(i), apply(i, dest.buffer->getCode(dest.getPlace(i))));
    return finish(agent, inst, std::move(old));
  }
  GlobalMemory &memory = agent.getLaunch().memory;
  const View &view = agent.getView(inst, 0);
  int64_t viewRank = view.shape.size(), rank = value.shape.size();
  FailureOr<TileAccess> access =
      getAccess(agent, inst, 0, op.getOffsets(),
                llvm::to_vector(llvm::seq<int64_t>(viewRank - rank, viewRank)), value.shape);
  if (failed(access) || failed(memory.forEachRow(op, *access, [&](const AccessRow &row) {
        for (int64_t i = row.low; i < row.high; ++i)
          memory.store(view, row.getPlace(i), apply(row.first + i, memory.load(view, row.getPlace(i))));
      })))
    return Step::Failed;
  return finish(agent, inst, std::move(old));
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

namespace {
/// A destination with a coordinate along one dimension that each element chooses.
class Scatter {
public:
  Scatter(Agent &agent, const Instruction &inst, int64_t dim, AccessKind kind)
      : agent(agent), inst(inst), dim(dim), indices(agent.getTile(inst, 1)) {
    if (isa<SharedType>(inst.op->getOperand(0).getType())) {
      shared = &agent.getShared(inst, 0);
      strides = getRowMajorStrides(shared->shape);
      if (RaceDetector *races = agent.getBlock().races.get())
        event = races->begin(inst.op, agent.getRange(), kind);
      return;
    }
    view = &agent.getView(inst, 0);
    strides = view->strides;
  }

  /// Replaces each element's place by what `change` makes of it, given the element's number and the code
  /// there.
  template <typename Change> LogicalResult apply(Change change) {
    if (shared && failed(SharedMemory::checkAlive(inst.op, *shared)))
      return failure();
    for (int64_t i = 0; i < indices.count; ++i)
      if (std::optional<int64_t> place = findPlace(i))
        if (failed(applyAt(i, *place, change)))
          return failure();
    return success();
  }

private:
  /// The place of an element; nullopt if it lies outside the destination.
  std::optional<int64_t> findPlace(int64_t element) const {
    ArrayRef<int64_t> sizes = shared ? shared->shape : view->shape;
    int64_t rest = element, place = shared ? 0 : view->offset;
    for (int64_t axis = int64_t(indices.shape.size()) - 1; axis >= 0; --axis) {
      int64_t coordinate = axis == dim ? indices.getSigned(element) : rest % indices.shape[axis];
      rest /= indices.shape[axis];
      if (coordinate < 0 || coordinate >= sizes[axis])
        return std::nullopt;
      place = multiplyAdd(place, coordinate, strides[axis]);
    }
    return place;
  }

  template <typename Change> LogicalResult applyAt(int64_t element, int64_t place, Change change) {
    if (view) {
      GlobalMemory &memory = agent.getLaunch().memory;
      if (failed(memory.checkRange(inst.op, *view, place, place)))
        return failure();
      memory.store(*view, place, change(element, memory.load(*view, place)));
      return success();
    }
    int64_t at = shared->getPlace(place);
    if (RaceDetector *races = agent.getBlock().races.get())
      if (failed(races->accessElement(event, *shared->buffer, at,
                                      [&] { return formatIndex(shared->shape, place); })))
        return failure();
    shared->buffer->setCode(at, change(element, shared->buffer->getCode(at)));
    return success();
  }

  Agent &agent;
  const Instruction &inst;
  int64_t dim;
  const Tile &indices;
  const SharedTile *shared = nullptr;
  const View *view = nullptr;
  Shape strides;
  uint32_t event = 0;
};
} // namespace

static Step runAtomicScatter(Agent &agent, const Instruction &inst) {
  auto op = cast<AtomicScatterOp>(inst.op);
  const Tile &value = agent.getTile(inst, 2);
  Tile old(value.element, value.shape);
  LogicalResult result =
      Scatter(agent, inst, op.getDim(), AccessKind::Atomic).apply([&](int64_t i, uint64_t before) {
        old.setCode(i, before);
        return update(op.getKind(), value.element, before, value.getCode(i), 0);
      });
  return failed(result) ? Step::Failed : finish(agent, inst, std::move(old));
}

static Step runStoreScatter(Agent &agent, const Instruction &inst) {
  const Tile &value = agent.getTile(inst, 2);
  Scatter scatter(agent, inst, cast<StoreScatterOp>(inst.op).getDim(), AccessKind::Write);
  return succeeded(scatter.apply([&](int64_t i, uint64_t) { return value.getCode(i); })) ? Step::Next
                                                                                         : Step::Failed;
}

void tilus::reference::registerAtomicHandlers(HandlerTable &table) {
  table.add<AtomicOp>(runAtomic, Needs::AllThreads);
  table.add<AtomicScatterOp>(runAtomicScatter, Needs::AllThreads);
  table.add<StoreScatterOp>(runStoreScatter, Needs::AllThreads);
}
