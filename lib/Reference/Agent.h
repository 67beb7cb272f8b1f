// The execution of a kernel: a launch has thread blocks, a thread block has agents.
//
// An agent executes instructions for a group of threads; it keeps its own stack of blocks, so nothing
// recurses and an agent can be left at any instruction and taken up later.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "AsyncCopies.h"
#include "GlobalMemory.h"
#include "RaceDetector.h"
#include "RuntimeValue.h"
#include "SharedMemory.h"
#include "Tilus/Reference/ReferenceExecutor.h"

#include "llvm/ADT/BitVector.h"

namespace tilus::reference {

class Agent;

/// What all blocks of a launch share.
struct Launch {
  Program program;
  ReferenceOptions options;
  GlobalMemory memory;
  std::array<int64_t, 3> grid = {0, 0, 0};
  std::vector<RuntimeValue> arguments;
  uint64_t steps = 0;
  /// Units of the race detector.
  std::vector<int64_t> units;
};

/// A block of the grid.
struct ThreadBlock {
  ThreadBlock(Launch &launch, std::array<int64_t, 3> id, int64_t threads);

  enum class Status { Ended, Stuck, Failed };
  /// Executes all agents in turn until they have ended or all of them wait. `moved` tells whether any
  /// executed an instruction.
  Status run(bool &moved);

  Launch &launch;
  std::array<int64_t, 3> id;
  SharedMemory shared;
  /// Null unless hazards are checked.
  std::unique_ptr<RaceDetector> races;
  std::vector<std::unique_ptr<Agent>> agents;
  /// The threads that have ended for good.
  llvm::BitVector ended;
};

/// A place in a block of instructions.
struct Frame {
  const CodeBlock *block = nullptr;
  size_t next = 0;
  /// The operation whose region this is; null for the body of a kernel.
  const Instruction *owner = nullptr;
  /// Of a loop: iterations still to come, and the induction variable.
  uint64_t remaining = 0, index = 0;
};

/// Threads `[begin, begin + threads)` of a block.
struct ThreadRange {
  int64_t begin = 0, threads = 1;
  bool overlaps(const ThreadRange &other) const {
    return begin < other.begin + other.threads && other.begin < begin + threads;
  }
};

/// A group of threads at work.
class Agent {
public:
  Agent(ThreadBlock &block, ThreadRange range, Agent *parent, const CodeBlock *code);

  /// Executes until the end (`Next`), a wait, a yield or an error. `moved` is set if an instruction was
  /// executed.
  Step run(bool &moved);

  ThreadBlock &getBlock() { return block; }
  Launch &getLaunch() { return block.launch; }
  ThreadRange getRange() const { return range; }
  /// Whether all threads of the block execute this.
  bool isWholeBlock() const { return !parent; }
  bool hasEnded() const { return stack.empty(); }
  /// Where the agent waits; null if it does not.
  const Instruction *getWaiting() const { return waiting; }
  AsyncCopies &getCopies() { return copies; }

  // Values.
  const RuntimeValue &get(const Instruction &inst, unsigned operand) const {
    return values[inst.operands[operand]];
  }
  uint64_t getCode(const Instruction &inst, unsigned operand) const {
    return std::get<uint64_t>(get(inst, operand));
  }
  /// An integer operand, sign-extended.
  int64_t getInt(const Instruction &inst, unsigned operand) const;
  const Tile &getTile(const Instruction &inst, unsigned operand) const {
    return *std::get<std::shared_ptr<const Tile>>(get(inst, operand));
  }
  const View &getView(const Instruction &inst, unsigned operand) const {
    return *std::get<std::shared_ptr<const View>>(get(inst, operand));
  }
  const SharedTile &getShared(const Instruction &inst, unsigned operand) const {
    return *std::get<std::shared_ptr<const SharedTile>>(get(inst, operand));
  }
  /// The integers of a range of operands.
  Shape getInts(const Instruction &inst, mlir::OperandRange operands) const;

  void set(const Instruction &inst, RuntimeValue value, unsigned result = 0) {
    values[inst.results[result]] = std::move(value);
  }
  /// Sets the result to a tile or, where its type is a scalar, to the tile's only element.
  void setTile(const Instruction &inst, Tile &&tile, unsigned result = 0);

  // Control flow.
  /// Sets the parameters at the start.
  void bind(llvm::ArrayRef<RuntimeValue> arguments) { repeat(arguments); }
  Frame &getFrame() { return stack.back(); }
  /// Goes on at the start of a region, with values for its arguments.
  void enter(const Instruction &owner, unsigned region, llvm::ArrayRef<RuntimeValue> arguments);
  /// Starts the current block again.
  void repeat(llvm::ArrayRef<RuntimeValue> arguments);
  /// Goes on behind the operation whose region this is, with its results.
  void leave(llvm::ArrayRef<RuntimeValue> results);
  /// All operands, to be passed on.
  llvm::SmallVector<RuntimeValue> getAll(const Instruction &inst, unsigned from = 0) const;
  /// Ends the agent. With `exit`, its threads can take part in nothing any more.
  void end(const Instruction *exit = nullptr);

  // Groups.
  /// A group inside this one that is at work on any of the threads; null if there is none.
  Agent *findChild(const ThreadRange &threads);
  void spawn(const Instruction &group, ThreadRange threads);
  /// Whether all of the threads have ended early.
  bool hasOnlyEndedThreads(const ThreadRange &threads) const;
  /// Reports an operation that needs threads that have ended.
  mlir::LogicalResult checkNoneEnded(const Instruction &inst) const;

private:
  /// The operation by which threads of this group, or of one around it, ended early; null if none did.
  const Instruction *getExit() const { return exited || !parent ? exited : parent->getExit(); }
  mlir::LogicalResult checkOperands(const Instruction &inst) const;
  mlir::LogicalResult countStep(const Instruction &inst);

  ThreadBlock &block;
  ThreadRange range;
  Agent *parent;
  llvm::SmallVector<Agent *, 4> children;
  std::vector<Frame> stack;
  std::vector<RuntimeValue> values;
  const Instruction *waiting = nullptr, *exited = nullptr;
  AsyncCopies copies;
};

} // namespace tilus::reference
