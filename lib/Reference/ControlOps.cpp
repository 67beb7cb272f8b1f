// The grid, the block's place in it, its target, thread groups and the end of execution.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

static Step runGrid(Agent &agent, const Instruction &inst) {
  std::array<int64_t, 3> &grid = agent.getLaunch().grid;
  grid = {1, 1, 1};
  for (unsigned axis = 0; axis < inst.operands.size(); ++axis)
    grid[axis] = agent.getInt(inst, axis);
  agent.end();
  return Step::Next;
}

static Step runBlockId(Agent &agent, const Instruction &inst) {
  unsigned axis = unsigned(cast<BlockIdOp>(inst.op).getAxis());
  agent.set(inst, uint64_t(agent.getBlock().id[axis]));
  return Step::Next;
}

static Step runGridDim(Agent &agent, const Instruction &inst) {
  unsigned axis = unsigned(cast<GridDimOp>(inst.op).getAxis());
  agent.set(inst, uint64_t(agent.getLaunch().grid[axis]));
  return Step::Next;
}

static Step runThreadGroup(Agent &agent, const Instruction &inst) {
  auto op = cast<ThreadGroupOp>(inst.op);
  // Without `begin` any part will do; the first threads are as good as others.
  ThreadRange range{agent.getRange().begin + op.getBegin().value_or(0), op.getThreads()};
  if (agent.findChild(range))
    return Step::Wait;
  if (agent.hasOnlyEndedThreads(range))
    return Step::Next;
  agent.spawn(inst, range);
  return Step::Next;
}

/// Reports copies that were never waited for. Those of a thread group may be waited for behind it.
static LogicalResult checkCopies(Agent &agent) {
  const AsyncCopy *copy = agent.getCopies().getOldest();
  if (!copy || !agent.isWholeBlock() || !agent.getLaunch().options.checkHazards)
    return success();
  return copy->op->emitOpError("expected a wait for the copy before its threads end, but got none");
}

static Step runReturn(Agent &agent, const Instruction &inst) {
  if (failed(checkCopies(agent)))
    return Step::Failed;
  agent.end();
  return Step::Next;
}

static Step runExit(Agent &agent, const Instruction &inst) {
  agent.end(&inst);
  return Step::Next;
}

static Step runAssume(Agent &agent, const Instruction &inst) {
  if (agent.getCode(inst, 0))
    return Step::Next;
  inst.op->emitOpError("expected the assumption to hold, but got false");
  return Step::Failed;
}

template <typename Query> static Step runTargetQuery(Agent &agent, const Instruction &inst) {
  TargetAttr target = getTarget(inst.op);
  agent.set(inst, uint64_t(cast<Query>(inst.op).isTrueFor(target ? target.getInfo() : nullptr)));
  return Step::Next;
}

void tilus::reference::registerControlHandlers(HandlerTable &table) {
  table.add<GridOp>(runGrid);
  table.add<BlockIdOp>(runBlockId);
  table.add<GridDimOp>(runGridDim);
  table.add<ThreadGroupOp>(runThreadGroup);
  table.add<ReturnOp>(runReturn, Needs::Threads);
  table.add<ExitOp>(runExit, Needs::Threads);
  table.add<AssumeOp>(runAssume);
  table.add<TargetIsOp>(runTargetQuery<TargetIsOp>);
  table.add<TargetSupportsOp>(runTargetQuery<TargetSupportsOp>);
}
