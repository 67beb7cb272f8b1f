// The entry point of the reference executor: arguments in, one launch, workspaces checked at the end.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Reference/ReferenceExecutor.h"

#include "Scheduler.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

/// Checks that a scalar has the divisibility that the kernel may rely on.
static LogicalResult checkDivisibility(KernelOp kernel, unsigned index, int64_t value) {
  int64_t divisor = kernel.getParamDivisibility(index);
  if (value % divisor == 0)
    return success();
  return kernel.emitOpError("expected a multiple of ")
         << divisor << " for parameter '" << kernel.getParamName(index) << "', but got " << value;
}

static FailureOr<RuntimeValue> bindArgument(Launch &launch, KernelOp kernel, unsigned index,
                                            const KernelArgument &argument) {
  Type type = kernel.getArgumentTypes()[index];
  if (isa<PtrType>(type))
    return RuntimeValue(Pointer{
        launch.memory.add({argument.buffer, "parameter '" + kernel.getParamName(index) + "'", nullptr, {}})});
  std::optional<Element> element = getElement(type);
  if (!element)
    return kernel.emitError("expected an element type that the reference executes, but got ") << type;
  uint64_t code = argument.code & lowBitMask(element->width);
  if (type.isIntOrIndex() && failed(checkDivisibility(kernel, index, element->toSigned(code))))
    return failure();
  return RuntimeValue(code);
}

/// Checks that the workspaces which must be clean are.
static LogicalResult checkWorkspaces(Launch &launch) {
  for (const std::unique_ptr<GlobalBuffer> &buffer : launch.memory.getBuffers()) {
    auto alloc = dyn_cast_or_null<AllocGlobalOp>(buffer->workspace);
    if (!alloc || !alloc.getClean())
      continue;
    const auto *byte = llvm::find_if(buffer->bytes, [](uint8_t byte) { return byte != 0; });
    if (byte != buffer->bytes.end())
      return alloc.emitOpError("expected the kernel to leave zeros in a clean workspace, but got ")
             << unsigned(*byte) << " in byte " << byte - buffer->bytes.begin();
  }
  return success();
}

FailureOr<ExecutionResult> tilus::executeKernel(KernelOp kernel, ArrayRef<KernelArgument> arguments,
                                                const ReferenceOptions &options) {
  if (arguments.size() != kernel.getArgumentTypes().size())
    return kernel.emitOpError("expected one argument for each of the ")
           << kernel.getArgumentTypes().size() << " parameters, but got " << arguments.size();
  Launch launch;
  launch.options = options;
  launch.units = RaceDetector::getUnits(kernel);
  if (failed(launch.program.build(kernel)))
    return failure();
  for (auto [index, argument] : llvm::enumerate(arguments)) {
    FailureOr<RuntimeValue> value = bindArgument(launch, kernel, index, argument);
    if (failed(value))
      return failure();
    launch.arguments.push_back(std::move(*value));
  }
  if (failed(computeGrid(launch, kernel)) || failed(runBlocks(launch, kernel)) ||
      (options.checkHazards && failed(checkWorkspaces(launch))))
    return failure();
  return ExecutionResult{launch.grid, launch.steps};
}
