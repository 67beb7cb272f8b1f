// Agents: the execution of instructions, control flow and groups within groups.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Agent.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

Agent::Agent(ThreadBlock &block, ThreadRange range, Agent *parent, const CodeBlock *code)
    : block(block), range(range), parent(parent), values(block.launch.program.getNumSlots()) {
  stack.push_back({code});
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

LogicalResult Agent::checkOperands(const Instruction &inst) const {
  unsigned count = std::min<size_t>(inst.operands.size(), inst.entry->numDefined);
  for (unsigned operand = 0; operand < count; ++operand) {
    if (!std::holds_alternative<std::monostate>(get(inst, operand)))
      continue;
    InFlightDiagnostic error = inst.op->emitOpError("expected defined operands, but got operand ")
                               << operand << ", which is undefined";
    error.attachNote(inst.op->getOperand(operand).getLoc()) << "the value comes from here";
    return error;
  }
  return success();
}

LogicalResult Agent::countStep(const Instruction &inst) {
  Launch &launch = block.launch;
  ++launch.steps;
  if (launch.options.maxSteps == 0 || launch.steps <= launch.options.maxSteps)
    return success();
  return inst.op->emitOpError("expected the launch to end within ")
         << launch.options.maxSteps << " operations, but got here after as many";
}

Step Agent::run(bool &moved) {
  waiting = nullptr;
  while (!stack.empty()) {
    Frame &frame = stack.back();
    const Instruction &inst = frame.block->code[frame.next];
    if (inst.entry->needs != Needs::Nobody && findChild(range)) {
      waiting = &inst;
      return Step::Wait;
    }
    // The groups inside may have ended all threads, one by one.
    if (exited && hasOnlyEndedThreads(range)) {
      end(exited);
      moved = true;
      return Step::Next;
    }
    if (inst.entry->needs == Needs::AllThreads && failed(checkNoneEnded(inst)))
      return Step::Failed;
    if (failed(checkOperands(inst)))
      return Step::Failed;
    ++frame.next;
    Step step = inst.entry->handler(*this, inst);
    if (step == Step::Failed || (step != Step::Wait && failed(countStep(inst))))
      return Step::Failed;
    if (step == Step::Wait) {
      --stack.back().next;
      waiting = &inst;
      return Step::Wait;
    }
    moved = true;
    if (step == Step::Yield)
      return Step::Yield;
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int64_t Agent::getInt(const Instruction &inst, unsigned operand) const {
  Type type = inst.op->getOperand(operand).getType();
  return signExtend(getCode(inst, operand), type.isIndex() ? 64 : type.getIntOrFloatBitWidth());
}

Shape Agent::getInts(const Instruction &inst, OperandRange operands) const {
  Shape ints;
  for (unsigned i = 0; i < operands.size(); ++i)
    ints.push_back(getInt(inst, operands.getBeginOperandIndex() + i));
  return ints;
}

void Agent::setTile(const Instruction &inst, Tile &&tile, unsigned result) {
  if (isa<RankedTensorType>(inst.op->getResult(result).getType()))
    set(inst, std::make_shared<const Tile>(std::move(tile)), result);
  else
    set(inst, tile.getCode(0), result);
}

SmallVector<RuntimeValue> Agent::getAll(const Instruction &inst, unsigned from) const {
  SmallVector<RuntimeValue> all;
  for (unsigned slot : ArrayRef(inst.operands).drop_front(from))
    all.push_back(values[slot]);
  return all;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Agent::enter(const Instruction &owner, unsigned region, ArrayRef<RuntimeValue> arguments) {
  stack.push_back({owner.regions[region], 0, &owner});
  repeat(arguments);
}

void Agent::repeat(ArrayRef<RuntimeValue> arguments) {
  Frame &frame = stack.back();
  frame.next = 0;
  for (auto [slot, value] : llvm::zip(frame.block->arguments, arguments))
    values[slot] = value;
}

void Agent::leave(ArrayRef<RuntimeValue> results) {
  const Instruction *owner = stack.back().owner;
  stack.pop_back();
  for (auto [slot, value] : llvm::zip(owner->results, results))
    values[slot] = value;
}

void Agent::end(const Instruction *exit) {
  stack.clear();
  if (exit) {
    copies.drop();
    block.ended.set(range.begin, range.begin + range.threads);
  }
  if (!parent)
    return;
  llvm::erase(parent->children, this);
  parent->copies.append(std::move(copies));
  const Instruction *early = exit ? exit : exited;
  if (early && !parent->exited)
    parent->exited = early;
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

bool Agent::hasOnlyEndedThreads(const ThreadRange &threads) const {
  return block.ended.find_first_unset_in(threads.begin, threads.begin + threads.threads) == -1;
}

LogicalResult Agent::checkNoneEnded(const Instruction &inst) const {
  // Where one ended, the groups around it know of it.
  const Instruction *exit = getExit();
  if (!exit || block.ended.find_first_in(range.begin, range.begin + range.threads) == -1)
    return success();
  InFlightDiagnostic error =
      inst.op->emitOpError("expected all threads of the group, but got some that have ended");
  error.attachNote(exit->op->getLoc()) << "they end here";
  return error;
}

Agent *Agent::findChild(const ThreadRange &threads) {
  for (Agent *child : children)
    if (child->range.overlaps(threads))
      return child;
  return nullptr;
}

void Agent::spawn(const Instruction &group, ThreadRange threads) {
  auto child = std::make_unique<Agent>(block, threads, this, group.regions[0]);
  for (unsigned slot : group.captures)
    child->values[slot] = values[slot];
  children.push_back(child.get());
  block.agents.push_back(std::move(child));
}
