// Asynchronous copies from global to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handlers.h"
#include "MemoryOps.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

static Step runCopyAsync(Agent &agent, const Instruction &inst) {
  auto op = cast<CopyAsyncOp>(inst.op);
  const SharedTile &dest = agent.getShared(inst, inst.operands.size() - 1);
  FailureOr<TileAccess> access = getAccess(agent, inst, 0, op.getOffsets(), op.getTileDims(), dest.shape);
  auto data = std::make_shared<Tile>(dest.buffer->element, dest.shape);
  if (failed(access) || failed(agent.getLaunch().memory.loadTile(op, *access, *data)) ||
      failed(accessShared(agent, inst, AccessKind::Copy, dest)))
    return Step::Failed;
  // Until the copy is waited for, nothing can be known of the tile.
  SharedMemory::poison(dest);
  RaceDetector *races = agent.getBlock().races.get();
  agent.getCopies().add({op, dest, std::move(data), races ? races->getLastEvent() : 0});
  return Step::Next;
}

static Step runCommitGroup(Agent &agent, const Instruction &) {
  agent.getCopies().commit();
  return Step::Next;
}

static Step runWaitGroup(Agent &agent, const Instruction &inst) {
  agent.getCopies().wait(cast<WaitGroupOp>(inst.op).getPending(), agent.getBlock().races.get());
  return Step::Next;
}

static Step runWaitAll(Agent &agent, const Instruction &) {
  agent.getCopies().commit();
  agent.getCopies().wait(0, agent.getBlock().races.get());
  return Step::Next;
}

void tilus::reference::registerAsyncHandlers(HandlerTable &table) {
  table.add<CopyAsyncOp>(runCopyAsync, Needs::AllThreads);
  table.add<CommitGroupOp>(runCommitGroup, Needs::Threads);
  table.add<WaitGroupOp>(runWaitGroup, Needs::Threads);
  table.add<WaitAllOp>(runWaitAll, Needs::Threads);
}
