// Tiles in shared memory: their life, the views on them, loads and stores.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handlers.h"
#include "MemoryOps.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

LogicalResult reference::accessShared(Agent &agent, const Instruction &inst, AccessKind kind,
                                      const SharedTile &tile) {
  if (failed(SharedMemory::checkAlive(inst.op, tile)))
    return failure();
  RaceDetector *races = agent.getBlock().races.get();
  return races ? races->access(inst.op, agent.getRange(), kind, tile) : success();
}

static Step runAllocShared(Agent &agent, const Instruction &inst) {
  SharedType type = cast<AllocSharedOp>(inst.op).getResult().getType();
  auto tile = std::make_shared<SharedTile>();
  tile->shape = Shape(type.getShape());
  ThreadBlock &block = agent.getBlock();
  tile->buffer = &block.shared.allocate(inst.op, *getElement(type.getElementType()), type.getNumElements(),
                                        block.races != nullptr);
  agent.set(inst, std::shared_ptr<const SharedTile>(std::move(tile)));
  return Step::Next;
}

static Step runFreeShared(Agent &agent, const Instruction &inst) {
  const SharedTile &tile = agent.getShared(inst, 0);
  RaceDetector *races = agent.getBlock().races.get();
  if (failed(SharedMemory::checkAlive(inst.op, tile)) ||
      (races && failed(races->checkNoCopies(inst.op, *tile.buffer))))
    return Step::Failed;
  tile.buffer->freedBy = inst.op;
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// A tile of the shape whose element at an index is the source's at `base` plus the index times the strides,
/// both in elements of the source.
static std::shared_ptr<const SharedTile> makeView(const SharedTile &source, ArrayRef<int64_t> shape,
                                                  ArrayRef<int64_t> strides, int64_t base) {
  auto view = std::make_shared<SharedTile>();
  view->buffer = source.buffer;
  view->shape = Shape(shape);
  if (!source.places && ArrayRef<int64_t>(getRowMajorStrides(shape)) == strides) {
    view->start = source.start + base;
    return view;
  }
  std::vector<int64_t> places(countElements(shape));
  for (int64_t i = 0, count = places.size(); i < count; ++i) {
    int64_t rest = i, position = base;
    for (int64_t dim = int64_t(shape.size()) - 1; dim >= 0; --dim) {
      position += rest % shape[dim] * strides[dim];
      rest /= shape[dim];
    }
    places[i] = source.getPlace(position);
  }
  view->places = std::make_shared<const std::vector<int64_t>>(std::move(places));
  return view;
}

static Step runSliceShared(Agent &agent, const Instruction &inst) {
  auto op = cast<SliceSharedOp>(inst.op);
  const SharedTile &source = agent.getShared(inst, 0);
  Shape offsets = agent.getInts(inst, op.getOffsets()), strides = getRowMajorStrides(source.shape), kept,
        keptStrides;
  int64_t base = 0;
  for (auto [dim, offset] : llvm::zip(op.getDims(), offsets)) {
    if (offset < 0 || offset >= source.shape[dim]) {
      op.emitOpError("expected an offset of 0 to ")
          << source.shape[dim] - 1 << " in dimension " << dim << ", but got " << offset;
      return Step::Failed;
    }
    base += offset * strides[dim];
  }
  for (auto [dim, size] : llvm::enumerate(source.shape)) {
    if (llvm::is_contained(op.getDims(), int64_t(dim)))
      continue;
    kept.push_back(size);
    keptStrides.push_back(strides[dim]);
  }
  agent.set(inst, makeView(source, kept, keptStrides, base));
  return Step::Next;
}

static Step runReshapeShared(Agent &agent, const Instruction &inst) {
  auto view = std::make_shared<SharedTile>(agent.getShared(inst, 0));
  view->shape = Shape(cast<ReshapeSharedOp>(inst.op).getResult().getType().getShape());
  agent.set(inst, std::shared_ptr<const SharedTile>(std::move(view)));
  return Step::Next;
}

static Step runPermuteShared(Agent &agent, const Instruction &inst) {
  const SharedTile &source = agent.getShared(inst, 0);
  Shape strides = getRowMajorStrides(source.shape), shape, permuted;
  for (int64_t dim : cast<PermuteSharedOp>(inst.op).getPermutation()) {
    shape.push_back(source.shape[dim]);
    permuted.push_back(strides[dim]);
  }
  agent.set(inst, makeView(source, shape, permuted, 0));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

static Step runLoadShared(Agent &agent, const Instruction &inst) {
  const SharedTile &source = agent.getShared(inst, 0);
  if (failed(accessShared(agent, inst, AccessKind::Read, source)))
    return Step::Failed;
  Tile tile(source.buffer->element, source.shape);
  SharedMemory::load(source, tile);
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

static Step runStoreShared(Agent &agent, const Instruction &inst) {
  const SharedTile &dest = agent.getShared(inst, 1);
  if (failed(accessShared(agent, inst, AccessKind::Write, dest)))
    return Step::Failed;
  SharedMemory::store(dest, agent.getTile(inst, 0));
  return Step::Next;
}

void tilus::reference::registerSharedMemoryHandlers(HandlerTable &table) {
  table.add<AllocSharedOp>(runAllocShared);
  table.add<FreeSharedOp>(runFreeShared, Needs::Threads);
  table.add<SliceSharedOp>(runSliceShared);
  table.add<ReshapeSharedOp>(runReshapeShared);
  table.add<PermuteSharedOp>(runPermuteShared);
  table.add<LoadSharedOp>(runLoadShared, Needs::AllThreads);
  table.add<StoreSharedOp>(runStoreShared, Needs::AllThreads);
}
