// One call of tilus-run: its decisions and their order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DispatchedKernel.h"
#include "RunSteps.h"

namespace tilus {

/// The phases: choose the kernels, the place and the targets; read the arguments; compile and emit; run;
/// write the outputs. An error that no diagnostic has shown is printed; what can still be done after it is
/// done.
class RunSession {
public:
  RunSession(const RunOptions &options, mlir::ModuleOp module) : options(options), module(module) {}

  /// True if all that was asked for was done.
  bool run();

private:
  llvm::Error chooseKernels();
  bool wantsToRun() const;
  llvm::Error choosePlace();
  llvm::Error chooseAutomatically();
  llvm::Error chooseTargets();
  llvm::Error readArguments();
  bool mustCompile() const;
  bool compileAll();
  llvm::Expected<SharedArtifact> compileOne(KernelOp kernel, const TargetInfo &target);
  bool runKernel();
  llvm::Error runOnCuda();
  bool runOnCpu();

  const RunOptions &options;
  mlir::ModuleOp module;
  llvm::SmallVector<KernelOp> kernels;
  /// Auto and Default have become one of the others.
  DeviceChoice place = DeviceChoice::None;
  /// Open if it runs on CUDA, or if a device was looked for.
  OpenDevice device;
  std::vector<const TargetInfo *> targets;
  std::vector<KernelInput> inputs;
  /// One a kernel that was compiled.
  std::vector<DispatchedKernel> dispatched;
  RunReport report;
};

} // namespace tilus
