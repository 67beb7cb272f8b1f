// Executes a kernel on the CPU: the semantics of the dialect, tile by tile, for any target.
//
// Owns the entry point. Layouts are ignored except by tilus.view, so IR before and after layout inference
// gives the same result; blocks run one after the other, thread groups under a deterministic scheduler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

#include <array>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tilus {

/// The value of a kernel parameter.
struct KernelArgument {
  /// The bits of a scalar, in the low end.
  uint64_t code = 0;
  /// The memory of a pointer parameter: packed elements, little end first. The same memory may be given
  /// twice.
  llvm::MutableArrayRef<uint8_t> buffer;

  static KernelArgument scalar(uint64_t code) { return {code, {}}; }
  static KernelArgument memory(llvm::MutableArrayRef<uint8_t> buffer) { return {0, buffer}; }
};

/// How a kernel is executed.
struct ReferenceOptions {
  /// Reports races on shared memory, reads of shared memory that nobody wrote, copies that nobody waits for,
  /// and synchronisation with threads that have ended. Costs time.
  bool checkHazards = false;
  /// Operations that a launch may execute in all; 0 for any number.
  uint64_t maxSteps = 0;
  /// Where printf and print write; nowhere if null.
  llvm::raw_ostream *output = nullptr;
};

/// What a launch did.
struct ExecutionResult {
  /// Blocks along x, y and z.
  std::array<int64_t, 3> grid = {0, 0, 0};
  /// Operations executed.
  uint64_t steps = 0;
};

/// Executes a verified kernel, one argument for each parameter. Fails after exactly one error, located at the
/// operation at fault: a hazard, an access outside of a buffer, a division by zero, a deadlock, an assertion,
/// an operation or element type that is not executed. The buffers then hold what was written up to there.
llvm::FailureOr<ExecutionResult> executeKernel(KernelOp kernel, llvm::ArrayRef<KernelArgument> arguments,
                                               const ReferenceOptions &options = {});

} // namespace tilus
