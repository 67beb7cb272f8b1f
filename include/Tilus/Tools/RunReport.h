// The report of tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Tools/KernelExecution.h"

#include <optional>

namespace tilus {

/// What happened to one kernel for one target.
struct RunReportEntry {
  std::string kernel;
  unsigned blockThreads = 0;
  /// Null if it was run without a target.
  const TargetInfo *target = nullptr;
  /// Empty if it was not compiled. The cubin in it is empty if none was asked for.
  std::optional<CompiledKernel> compiled;
  /// Empty if it was not compiled, or if there are no arguments for it.
  std::optional<LaunchSizes> launch;
  /// Empty if it was not run.
  std::optional<RunOutcome> run;
};

/// Writes {"kernels": [...]} with one entry a kernel and target; what was not done is null.
void printJsonReport(llvm::ArrayRef<RunReportEntry> entries, llvm::raw_ostream &os);

/// Writes a few lines for each entry.
void printTextReport(llvm::ArrayRef<RunReportEntry> entries, llvm::raw_ostream &os);

} // namespace tilus
