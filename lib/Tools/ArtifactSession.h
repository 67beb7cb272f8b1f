// One call of tilus-run on an artifact file: its kernels are listed, written out, or run, without a compiler.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DispatchedKernel.h"
#include "RunSteps.h"
#include "Tilus/Runtime/ArtifactChoice.h"
#include "Tilus/Support/ArtifactFile.h"

namespace tilus {

/// The phases: check the options, select the artifacts, choose the device, read the arguments, emit, run.
class ArtifactSession {
public:
  ArtifactSession(const RunOptions &options, ArtifactFile file);

  /// True if all that was asked for was done.
  bool run();

private:
  llvm::Error checkOptions();
  llvm::Error selectArtifacts();
  llvm::Error choosePlace();
  llvm::Error readArguments();
  llvm::Error emit();
  llvm::Error runKernel();

  const RunOptions &options;
  /// Those of the file, and then those that the options select.
  ArtifactList artifacts;
  /// The names of the kernels of the artifacts, each once, in order.
  std::vector<std::string> kernels;
  OpenDevice device;
  /// The one to run; null if none is.
  SharedArtifact chosen;
  std::vector<KernelInput> inputs;
  std::vector<DispatchedKernel> dispatched;
  RunReport report;
};

} // namespace tilus
