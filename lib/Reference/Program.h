// A kernel prepared for execution: values are numbered, operations know their handlers.
//
// Owns the table from operation names to handlers, and the translation of regions to lists of instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

#include "llvm/ADT/StringMap.h"
#include <deque>
#include <functional>

namespace tilus::reference {

class Agent;
struct CodeBlock;

/// What became of an instruction.
enum class Step {
  Next,  ///< Executed; go on, perhaps in another block.
  Wait,  ///< Not executed: it must be tried again when others have moved.
  Yield, ///< Executed; let others move before the next one.
  Failed ///< An error was emitted.
};

/// One operation.
struct Instruction {
  mlir::Operation *op = nullptr;
  const struct HandlerEntry *entry = nullptr;
  llvm::SmallVector<unsigned, 4> operands, results;
  /// The entry block of each region; null for an empty region.
  llvm::SmallVector<const CodeBlock *, 2> regions;
  /// Values from outside that the regions of a thread group use.
  llvm::SmallVector<unsigned, 0> captures;
};

/// The operations of a block.
struct CodeBlock {
  std::vector<Instruction> code;
  llvm::SmallVector<unsigned, 4> arguments;
};

using Handler = std::function<Step(Agent &, const Instruction &)>;

/// Whom an operation needs.
enum class Needs {
  Nobody,    ///< Computes from its operands.
  Threads,   ///< Acts with the threads of the group, so waits for the groups inside it.
  AllThreads ///< The same, and each thread has its part: none may have ended.
};

/// How an operation is executed.
struct HandlerEntry {
  Handler handler;
  Needs needs = Needs::Nobody;
  /// The first operands, which must be defined; others may be passed on undefined.
  unsigned numDefined = ~0u;
};

/// Handlers by the full name of the operation.
class HandlerTable {
public:
  void add(llvm::StringRef name, Handler handler, Needs needs = Needs::Nobody, unsigned numDefined = ~0u) {
    entries[name] = {std::move(handler), needs, numDefined};
  }
  /// The same for an operation class.
  template <typename Op> void add(Handler handler, Needs needs = Needs::Nobody) {
    add(Op::getOperationName(), std::move(handler), needs);
  }
  const HandlerEntry *lookup(llvm::StringRef name) const {
    auto it = entries.find(name);
    return it == entries.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<HandlerEntry> entries;
};

/// The instructions of both regions of a kernel.
class Program {
public:
  Program();
  /// Translates the kernel. Emits an error at an operation or a type that is not executed.
  mlir::LogicalResult build(KernelOp kernel);

  const CodeBlock *getGrid() const { return grid; }
  const CodeBlock *getBody() const { return body; }
  /// Values of the kernel.
  unsigned getNumSlots() const { return slots.size(); }

private:
  CodeBlock *addBlock(mlir::Region &region);
  mlir::LogicalResult translate(mlir::Block &source, CodeBlock &target);
  mlir::FailureOr<Instruction> translate(mlir::Operation &op);
  unsigned getSlot(mlir::Value value) { return slots.try_emplace(value, slots.size()).first->second; }

  HandlerTable table;
  llvm::DenseMap<mlir::Value, unsigned> slots;
  std::deque<CodeBlock> blocks;
  std::vector<std::pair<mlir::Block *, CodeBlock *>> worklist;
  const CodeBlock *grid = nullptr, *body = nullptr;
};

} // namespace tilus::reference
