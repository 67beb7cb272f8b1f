// The order in which blocks and agents move.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Scheduler.h"

#include "Tilus/IR/GridLimits.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Notes of a deadlock: at most so many waiting agents are listed.
static constexpr size_t maxNotes = 16;

ThreadBlock::ThreadBlock(Launch &launch, std::array<int64_t, 3> id, int64_t threads)
    : launch(launch), id(id), ended(threads) {
  if (launch.options.checkHazards)
    races = std::make_unique<RaceDetector>(launch.units);
  agents.push_back(
      std::make_unique<Agent>(*this, ThreadRange{0, threads}, nullptr, launch.program.getBody()));
  agents.front()->bind(launch.arguments);
}

ThreadBlock::Status ThreadBlock::run(bool &moved) {
  for (bool turnMoved = true; turnMoved;) {
    turnMoved = false;
    // Agents that are spawned in a turn take part in it.
    for (size_t i = 0; i < agents.size(); ++i)
      if (!agents[i]->hasEnded() && agents[i]->run(turnMoved) == Step::Failed)
        return Status::Failed;
    moved |= turnMoved;
    llvm::erase_if(agents, [](const std::unique_ptr<Agent> &agent) { return agent->hasEnded(); });
    if (agents.empty())
      return Status::Ended;
  }
  return Status::Stuck;
}

//===----------------------------------------------------------------------===//
// Grid
//===----------------------------------------------------------------------===//

LogicalResult reference::computeGrid(Launch &launch, KernelOp kernel) {
  ThreadBlock host(launch, {0, 0, 0}, 1);
  Agent agent(host, {0, 1}, nullptr, launch.program.getGrid());
  agent.bind(launch.arguments);
  bool moved = false;
  if (agent.run(moved) == Step::Failed)
    return failure();
  for (auto [axis, count] : llvm::enumerate(launch.grid))
    if (failed(checkBlockCount(kernel, Axis(axis), std::max<int64_t>(count, 0))))
      return failure();
  return success();
}

/// Reports that every agent of every block waits: at the first one that waits for more than its own groups.
static LogicalResult reportDeadlock(ArrayRef<std::unique_ptr<ThreadBlock>> blocks) {
  llvm::SmallVector<Agent *> waiting;
  for (const std::unique_ptr<ThreadBlock> &block : blocks)
    for (const std::unique_ptr<Agent> &agent : block->agents)
      waiting.push_back(agent.get());
  auto isAtFault = [](Agent *agent) { return !agent->findChild(agent->getRange()); };
  Agent *first = *llvm::find_if(waiting, isAtFault);
  InFlightDiagnostic error = first->getWaiting()->op->emitOpError(
      "expected a thread group or block that can go on, but all of them wait");
  for (Agent *agent : ArrayRef(waiting).take_front(maxNotes)) {
    ThreadRange range = agent->getRange();
    const std::array<int64_t, 3> &id = agent->getBlock().id;
    error.attachNote(agent->getWaiting()->op->getLoc())
        << "threads " << range.begin << " to " << range.begin + range.threads - 1 << " of block (" << id[0]
        << ", " << id[1] << ", " << id[2] << ") wait here";
  }
  return error;
}

namespace {
/// Blocks in order, x fastest.
class BlockCursor {
public:
  explicit BlockCursor(const std::array<int64_t, 3> &grid) : grid(grid) {
    isAtEnd = llvm::any_of(grid, [](int64_t count) { return count <= 0; });
  }
  bool isDone() const { return isAtEnd; }
  std::array<int64_t, 3> next() {
    std::array<int64_t, 3> current = id;
    isAtEnd = true;
    for (unsigned axis = 0; axis < 3 && isAtEnd; ++axis) {
      isAtEnd = ++id[axis] >= grid[axis];
      id[axis] = isAtEnd ? 0 : id[axis];
    }
    return current;
  }

private:
  std::array<int64_t, 3> grid, id = {0, 0, 0};
  bool isAtEnd = false;
};
} // namespace

LogicalResult reference::runBlocks(Launch &launch, KernelOp kernel) {
  BlockCursor cursor(launch.grid);
  std::vector<std::unique_ptr<ThreadBlock>> blocks;
  bool moved = true;
  while (!cursor.isDone() || !blocks.empty()) {
    if (!moved && cursor.isDone())
      return reportDeadlock(blocks);
    // Older blocks first; a new one only when none of them can move.
    if (!moved || blocks.empty())
      blocks.push_back(std::make_unique<ThreadBlock>(launch, cursor.next(), kernel.getNumThreads()));
    moved = false;
    for (std::unique_ptr<ThreadBlock> &block : blocks) {
      ThreadBlock::Status status = block->run(moved);
      if (status == ThreadBlock::Status::Failed)
        return failure();
      if (status == ThreadBlock::Status::Ended)
        block.reset();
    }
    llvm::erase(blocks, nullptr);
  }
  return success();
}
