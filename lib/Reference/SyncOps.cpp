// Barriers among the threads of a group, and semaphores among blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Reports a barrier that some of its threads never reach. The hardware lets the others pass.
static LogicalResult checkNoneEnded(Agent &agent, const Instruction &inst) {
  return agent.getLaunch().options.checkHazards ? agent.checkNoneEnded(inst) : success();
}

static Step runSync(Agent &agent, const Instruction &inst) {
  if (failed(checkNoneEnded(agent, inst)))
    return Step::Failed;
  if (RaceDetector *races = agent.getBlock().races.get())
    races->synchronize(agent.getRange());
  return Step::Yield;
}

//===----------------------------------------------------------------------===//
// Semaphores
//===----------------------------------------------------------------------===//

/// The word of a semaphore, by its number in the buffer; nullopt after an error if it lies outside.
static std::optional<int64_t> findWord(Agent &agent, const Instruction &inst, OperandRange offsets) {
  const View &view = agent.getView(inst, 0);
  int64_t place = view.offset;
  for (auto [dim, offset] : llvm::enumerate(agent.getInts(inst, offsets))) {
    if (offset < 0 || offset >= view.shape[dim]) {
      inst.op->emitOpError("expected an offset within the ")
          << view.shape[dim] << " words along dimension " << dim << " of the view, but got " << offset;
      return std::nullopt;
    }
    place = multiplyAdd(place, offset, view.strides[dim]);
  }
  if (failed(agent.getLaunch().memory.checkRange(inst.op, view, place, place)))
    return std::nullopt;
  return place;
}

static Step runLock(Agent &agent, const Instruction &inst) {
  std::optional<int64_t> word = findWord(agent, inst, cast<SemaphoreLockOp>(inst.op).getOffsets());
  if (!word)
    return Step::Failed;
  const View &view = agent.getView(inst, 0);
  if (agent.getLaunch().memory.load(view, *word) != agent.getCode(inst, inst.operands.size() - 1))
    return Step::Wait;
  if (RaceDetector *races = agent.getBlock().races.get())
    races->acquire(agent.getRange(), {view.buffer, *word});
  return Step::Next;
}

static Step runRelease(Agent &agent, const Instruction &inst) {
  std::optional<int64_t> word = findWord(agent, inst, cast<SemaphoreReleaseOp>(inst.op).getOffsets());
  if (!word || failed(checkNoneEnded(agent, inst)))
    return Step::Failed;
  const View &view = agent.getView(inst, 0);
  if (RaceDetector *races = agent.getBlock().races.get())
    races->release(agent.getRange(), {view.buffer, *word});
  agent.getLaunch().memory.store(view, *word, agent.getCode(inst, inst.operands.size() - 1));
  return Step::Yield;
}

void tilus::reference::registerSyncHandlers(HandlerTable &table) {
  table.add<SyncOp>(runSync, Needs::Threads);
  table.add<SemaphoreLockOp>(runLock, Needs::Threads);
  table.add<SemaphoreReleaseOp>(runRelease, Needs::Threads);
}
