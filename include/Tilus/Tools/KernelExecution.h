// Running one kernel on its inputs: on the CPU reference, or on a CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Tools/KernelInputs.h"

#include <array>
#include <memory>

namespace tilus {

/// How often to run.
struct RunPlan {
  /// Timed runs.
  unsigned repeat = 1;
  /// One run before the timed ones, that is not timed.
  bool hasWarmUp = false;
  /// On the CPU: report races, unordered copies and the like.
  bool checkHazards = false;
  /// On the CPU: where the kernel's prints of the first run go.
  llvm::raw_ostream *output = nullptr;
};

/// What a run did.
struct RunOutcome {
  /// "cpu" or "cuda:0".
  std::string device;
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// The median over the timed runs.
  double milliseconds = 0;
};

/// What a launch takes beside the binary and the arguments.
struct LaunchSizes {
  std::array<int64_t, 3> grid = {1, 1, 1};
  /// The bytes of each workspace.
  std::vector<int64_t> workspaces;
};

/// The sizes for these inputs. Needs no device.
llvm::Expected<LaunchSizes> computeLaunchSizes(std::shared_ptr<const KernelArtifact> artifact,
                                               llvm::ArrayRef<KernelInput> inputs);

/// Runs the kernel on the CPU reference. The inputs' tensors are those after the first run. An empty result
/// is a failure that was reported as a diagnostic on the kernel.
mlir::FailureOr<RunOutcome> runOnReference(KernelOp kernel, std::vector<KernelInput> &inputs,
                                           const RunPlan &plan);

/// Where and how a kernel is launched.
struct DeviceRun {
  const Device &device;
  /// Its calls give the artifact for the target.
  Dispatcher &dispatcher;
  const TargetInfo &target;
  std::shared_ptr<const KernelArtifact> artifact;
};

/// Calls the kernel on the device. The inputs' tensors are those after the first run.
llvm::Expected<RunOutcome> runOnDevice(const DeviceRun &run, std::vector<KernelInput> &inputs,
                                       const RunPlan &plan);

/// A driver and an opened device of it.
struct OpenDevice {
  std::unique_ptr<CudaDriver> driver;
  std::unique_ptr<Device> device;
};

/// Loads the CUDA driver and opens a device.
llvm::Expected<OpenDevice> openDevice(unsigned ordinal);

/// The middle of the values, which must not be none.
double computeMedian(std::vector<double> values);

} // namespace tilus
