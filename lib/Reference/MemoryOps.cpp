// Views of global memory, and loads and stores of tiles through them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MemoryOps.h"
#include "Handlers.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Gives the dynamic extents their values in order.
static Shape fillDynamic(ArrayRef<int64_t> extents, ArrayRef<int64_t> values) {
  Shape filled(extents);
  for (int64_t &extent : filled) {
    if (!ShapedType::isDynamic(extent))
      continue;
    extent = values.front();
    values = values.drop_front();
  }
  return filled;
}

static Step runGlobalView(Agent &agent, const Instruction &inst) {
  auto op = cast<GlobalViewOp>(inst.op);
  GlobalType type = op.getResult().getType();
  auto view = std::make_shared<View>();
  view->element = *getElement(type.getElementType());
  auto pointer = std::get<Pointer>(agent.get(inst, 0));
  int64_t bits = view->element.format.bits;
  if (pointer.bits % bits != 0) {
    op.emitOpError("expected an address of whole elements of ")
        << bits << " bits, but got bit " << pointer.bits << " of its buffer";
    return Step::Failed;
  }
  view->buffer = pointer.buffer;
  view->offset = pointer.bits / bits;
  view->shape = fillDynamic(type.getShape(), agent.getInts(inst, op.getSizes()));
  view->strides = type.getStrides().empty()
                      ? getRowMajorStrides(view->shape)
                      : fillDynamic(type.getStrides(), agent.getInts(inst, op.getStrides()));
  agent.set(inst, std::shared_ptr<const View>(std::move(view)));
  return Step::Next;
}

static Step runSliceGlobal(Agent &agent, const Instruction &inst) {
  auto op = cast<SliceGlobalOp>(inst.op);
  const View &source = agent.getView(inst, 0);
  Shape offsets = agent.getInts(inst, op.getOffsets());
  auto view = std::make_shared<View>();
  view->element = source.element;
  view->buffer = source.buffer;
  view->offset = source.offset;
  for (auto [dim, offset] : llvm::zip(op.getDims(), offsets))
    view->offset = multiplyAdd(view->offset, offset, source.strides[dim]);
  for (auto [dim, size] : llvm::enumerate(source.shape)) {
    if (llvm::is_contained(op.getDims(), int64_t(dim)))
      continue;
    view->shape.push_back(size);
    view->strides.push_back(source.strides[dim]);
  }
  agent.set(inst, std::shared_ptr<const View>(std::move(view)));
  return Step::Next;
}

static Step runElementPointer(Agent &agent, const Instruction &inst) {
  auto op = cast<ElementPointerOp>(inst.op);
  const View &view = agent.getView(inst, 0);
  int64_t place = view.offset;
  for (auto [offset, stride] : llvm::zip(agent.getInts(inst, op.getOffsets()), view.strides))
    place = multiplyAdd(place, offset, stride);
  agent.set(inst, Pointer{view.buffer, multiplyAdd(0, place, view.element.format.bits)});
  return Step::Next;
}

static Step runPointerCast(Agent &agent, const Instruction &inst) {
  agent.set(inst, agent.get(inst, 0));
  return Step::Next;
}

static Step runAllocGlobal(Agent &agent, const Instruction &inst) {
  auto op = cast<AllocGlobalOp>(inst.op);
  GlobalType type = op.getResult().getType();
  auto view = std::make_shared<View>();
  view->element = *getElement(type.getElementType());
  view->shape = fillDynamic(type.getShape(), agent.getInts(inst, op.getSizes()));
  view->strides = getRowMajorStrides(view->shape);
  uint64_t bits = view->element.format.bits;
  bool isTooLarge = false;
  for (int64_t size : view->shape)
    isTooLarge |= size < 0 || __builtin_mul_overflow(bits, uint64_t(size), &bits);
  std::optional<unsigned> buffer;
  if (!isTooLarge)
    buffer = agent.getLaunch().memory.getWorkspace(op, bits / 8 + (bits % 8 != 0));
  if (!buffer) {
    InFlightDiagnostic error = op.emitOpError("expected a workspace of at most 4 GiB, but got sizes [");
    llvm::interleaveComma(view->shape, error);
    error << "] of " << type.getElementType();
    return Step::Failed;
  }
  view->buffer = *buffer;
  agent.set(inst, std::shared_ptr<const View>(std::move(view)));
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

FailureOr<TileAccess> reference::getAccess(Agent &agent, const Instruction &inst, unsigned view,
                                           OperandRange offsets, ArrayRef<int64_t> dims,
                                           ArrayRef<int64_t> shape) {
  TileAccess access{&agent.getView(inst, view), agent.getInts(inst, offsets), Shape(dims), Shape(shape)};
  if (agent.getLaunch().options.checkHazards && failed(checkFacts(inst.op, access)))
    return failure();
  return access;
}

static Step runLoadGlobal(Agent &agent, const Instruction &inst) {
  auto op = cast<LoadGlobalOp>(inst.op);
  ArrayRef<int64_t> shape = cast<RankedTensorType>(op.getResult().getType()).getShape();
  FailureOr<TileAccess> access = getAccess(agent, inst, 0, op.getOffsets(), op.getTileDims(), shape);
  Tile tile(agent.getView(inst, 0).element, shape);
  if (failed(access) || failed(agent.getLaunch().memory.loadTile(op, *access, tile)))
    return Step::Failed;
  agent.setTile(inst, std::move(tile));
  return Step::Next;
}

static Step runStoreGlobal(Agent &agent, const Instruction &inst) {
  auto op = cast<StoreGlobalOp>(inst.op);
  const Tile &tile = agent.getTile(inst, 0);
  FailureOr<TileAccess> access = getAccess(agent, inst, 1, op.getOffsets(), op.getTileDims(), tile.shape);
  if (failed(access) || failed(agent.getLaunch().memory.storeTile(op, *access, tile)))
    return Step::Failed;
  return Step::Next;
}

void tilus::reference::registerGlobalMemoryHandlers(HandlerTable &table) {
  table.add<GlobalViewOp>(runGlobalView);
  table.add<SliceGlobalOp>(runSliceGlobal);
  table.add<ElementPointerOp>(runElementPointer);
  table.add<PointerCastOp>(runPointerCast);
  table.add<AllocGlobalOp>(runAllocGlobal);
  table.add<LoadGlobalOp>(runLoadGlobal, Needs::AllThreads);
  table.add<StoreGlobalOp>(runStoreGlobal, Needs::AllThreads);
}
