// Running a kernel on the CPU reference.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/KernelExecution.h"

#include "Tilus/Reference/ReferenceExecutor.h"

#include <chrono>

using namespace tilus;

double tilus::computeMedian(std::vector<double> values) {
  llvm::sort(values);
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

static std::vector<KernelArgument> makeArguments(std::vector<KernelInput> &inputs) {
  std::vector<KernelArgument> arguments;
  for (KernelInput &input : inputs)
    arguments.push_back(input.param.isPointer() ? KernelArgument::memory(input.tensor.bytes)
                                                : KernelArgument::scalar(input.code));
  return arguments;
}

mlir::FailureOr<RunOutcome> tilus::runOnReference(KernelOp kernel, std::vector<KernelInput> &inputs,
                                                  const RunPlan &plan) {
  using Clock = std::chrono::steady_clock;
  ReferenceOptions options;
  options.checkHazards = plan.checkHazards;
  RunOutcome outcome;
  outcome.device = "cpu";
  std::vector<KernelInput> later;
  std::vector<double> times;
  for (unsigned run = 0; run < plan.repeat + plan.hasWarmUp; ++run) {
    // The first run is the one whose results are kept and whose prints are shown.
    options.output = run == 0 ? plan.output : nullptr;
    std::vector<KernelArgument> arguments = makeArguments(run == 0 ? inputs : later);
    Clock::time_point start = Clock::now();
    mlir::FailureOr<ExecutionResult> result = executeKernel(kernel, arguments, options);
    double milliseconds = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
    if (mlir::failed(result))
      return mlir::failure();
    outcome.grid = result->grid;
    if (run > 0 || !plan.hasWarmUp)
      times.push_back(milliseconds);
    if (run == 0)
      later = inputs;
  }
  outcome.milliseconds = computeMedian(std::move(times));
  return outcome;
}
