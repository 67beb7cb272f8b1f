// scf: loops and branches. Control flow is uniform over a thread group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"
#include "Handlers.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Iterations of a loop from `lower` below `upper`, whose step is positive.
static uint64_t countIterations(scf::ForOp loop, int64_t lower, int64_t upper, int64_t step, unsigned width) {
  bool isUnsigned = loop.getUnsignedCmp();
  uint64_t low = uint64_t(lower) & lowBitMask(width), high = uint64_t(upper) & lowBitMask(width);
  if (isUnsigned ? low >= high : lower >= upper)
    return 0;
  uint64_t distance = isUnsigned ? high - low : uint64_t(upper) - uint64_t(lower);
  return (distance - 1) / uint64_t(step) + 1;
}

static Step runFor(Agent &agent, const Instruction &inst) {
  auto loop = cast<scf::ForOp>(inst.op);
  int64_t lower = agent.getInt(inst, 0), upper = agent.getInt(inst, 1), step = agent.getInt(inst, 2);
  if (step <= 0) {
    loop.emitOpError("expected a positive step, but got ") << step;
    return Step::Failed;
  }
  unsigned width = getElement(loop.getInductionVar().getType())->width;
  uint64_t count = countIterations(loop, lower, upper, step, width);
  SmallVector<RuntimeValue> carried = agent.getAll(inst, 3);
  if (count == 0) {
    for (auto [result, value] : llvm::enumerate(carried))
      agent.set(inst, value, result);
    return Step::Next;
  }
  uint64_t index = uint64_t(lower) & lowBitMask(width);
  carried.insert(carried.begin(), index);
  agent.enter(inst, 0, carried);
  agent.getFrame().remaining = count - 1;
  agent.getFrame().index = index;
  return Step::Next;
}

static Step runIf(Agent &agent, const Instruction &inst) {
  unsigned region = agent.getCode(inst, 0) ? 0 : 1;
  if (inst.regions[region])
    agent.enter(inst, region, {});
  return Step::Next;
}

static Step runIndexSwitch(Agent &agent, const Instruction &inst) {
  auto op = cast<scf::IndexSwitchOp>(inst.op);
  const int64_t *match = llvm::find(op.getCases(), agent.getInt(inst, 0));
  bool isDefault = match == op.getCases().end();
  // The default region comes first.
  agent.enter(inst, isDefault ? 0 : match - op.getCases().begin() + 1, {});
  return Step::Next;
}

static Step runWhile(Agent &agent, const Instruction &inst) {
  agent.enter(inst, 0, agent.getAll(inst));
  return Step::Next;
}

static Step runCondition(Agent &agent, const Instruction &inst) {
  SmallVector<RuntimeValue> passed = agent.getAll(inst, 1);
  const Instruction *loop = agent.getFrame().owner;
  bool goesOn = agent.getCode(inst, 0);
  agent.leave(goesOn ? ArrayRef<RuntimeValue>() : passed);
  if (goesOn)
    agent.enter(*loop, 1, passed);
  return Step::Next;
}

static Step runYield(Agent &agent, const Instruction &inst) {
  SmallVector<RuntimeValue> passed = agent.getAll(inst);
  Frame &frame = agent.getFrame();
  const Instruction *owner = frame.owner;
  if (isa<scf::WhileOp>(owner->op)) {
    agent.leave({});
    agent.enter(*owner, 0, passed);
  } else if (isa<scf::ForOp>(owner->op) && frame.remaining > 0) {
    --frame.remaining;
    unsigned width = getElement(owner->op->getOperand(0).getType())->width;
    frame.index = (frame.index + agent.getCode(*owner, 2)) & lowBitMask(width);
    passed.insert(passed.begin(), frame.index);
    agent.repeat(passed);
  } else {
    agent.leave(passed);
  }
  return Step::Next;
}

void tilus::reference::registerScfHandlers(HandlerTable &table) {
  struct Row {
    StringRef name;
    Step (*run)(Agent &, const Instruction &);
    unsigned numDefined;
  };
  constexpr Row rows[] = {
      {"scf.for", runFor, 3},
      {"scf.if", runIf, 1},
      {"scf.index_switch", runIndexSwitch, 1},
      {"scf.while", runWhile, 0},
      {"scf.condition", runCondition, 1},
      {"scf.yield", runYield, 0},
  };
  for (const Row &row : rows)
    table.add(row.name, row.run, Needs::Nobody, row.numDefined);
}
