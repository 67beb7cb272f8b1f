// The report of tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Tools/KernelExecution.h"

#include <optional>

namespace tilus {

/// What happened to one kernel for one target.
struct RunReportEntry {
  std::string kernel;
  unsigned blockThreads = 0;
  /// Null if it was run without a target.
  const TargetInfo *target = nullptr;
  /// Null if it was not compiled. The cubin in it is empty if none was asked for.
  std::shared_ptr<const KernelArtifact> artifact;
  /// Empty if it was not compiled here.
  std::optional<CompileTimes> times;
  /// Empty if there is no artifact, or if there are no arguments for it.
  std::optional<LaunchSizes> launch;
  /// Empty if it was not run.
  std::optional<RunOutcome> run;
};

/// What the dispatcher of one kernel did.
struct KernelStats {
  std::string kernel;
  std::vector<TargetStats> targets;
};

struct RunReport {
  /// One a kernel and target.
  std::vector<RunReportEntry> entries;
  /// Empty if they were not asked for.
  std::optional<std::vector<KernelStats>> stats;
};

/// Writes {"kernels": [...]} with one object an entry, in which what was not done is null, and "stats": [...]
/// with one object a kernel and target if there are any.
void printJsonReport(const RunReport &report, llvm::raw_ostream &os);

/// Writes a few lines for each entry, and one for each row of the statistics.
void printTextReport(const RunReport &report, llvm::raw_ostream &os);

} // namespace tilus
