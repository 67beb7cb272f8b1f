// What sessions of tilus-run have in common, whether their kernels are compiled or come from an artifact
// file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Tools/KernelExecution.h"
#include "Tilus/Tools/RunOptions.h"
#include "Tilus/Tools/RunReport.h"

namespace tilus {

/// Prints an error if there is one, and it is not empty: that one has been shown already. False if there is.
bool reportError(llvm::Error error);

/// Whether the options ask for a run. A kernel without parameters needs no arguments.
bool wantsToRun(const RunOptions &options, bool isOneWithoutParams);
/// The error for options that ask for a run but name no device; to be used if wantsToRun() is false.
llvm::Error checkNoRun(const RunOptions &options);

/// The values of the arguments, and whether the outputs name some.
llvm::Expected<std::vector<KernelInput>> readInputs(const RunOptions &options, llvm::StringRef kernel,
                                                    llvm::ArrayRef<KernelParam> params);
/// Writes the files that --emit asks for, of what was made.
llvm::Error emitFiles(const RunOptions &options, const KernelArtifact &artifact, llvm::StringRef llvmIR);
/// Fills in the sizes of the launch for these inputs.
llvm::Error addLaunchSizes(RunReportEntry &entry, llvm::ArrayRef<KernelInput> inputs);

RunPlan makePlan(const RunOptions &options);
/// Writes the files that --out asks for.
llvm::Error writeOutputs(const RunOptions &options, llvm::ArrayRef<KernelInput> inputs);
void printReport(const RunOptions &options, const RunReport &report);

} // namespace tilus
