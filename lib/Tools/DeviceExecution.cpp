// Running a compiled kernel on a CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/KernelExecution.h"

#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/Launcher.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;

namespace {
/// The memory of a launch: a buffer for each pointer, in order, then one for each workspace.
class LaunchMemory {
public:
  LaunchMemory(const Device &device, LaunchArguments &arguments) : device(device), arguments(arguments) {}

  Error upload(llvm::ArrayRef<KernelInput> inputs);
  Error download(std::vector<KernelInput> &inputs) const;

private:
  Error uploadTensor(unsigned index, const HostTensor &tensor);
  Error allocateWorkspaces();

  const Device &device;
  LaunchArguments &arguments;
  std::vector<DeviceBuffer> buffers;
  std::vector<DeviceBuffer> workspaces;
};
} // namespace

Error LaunchMemory::uploadTensor(unsigned index, const HostTensor &tensor) {
  Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, tensor.bytes.size());
  if (!buffer)
    return buffer.takeError();
  if (Error error = buffer->copyFrom(tensor.bytes))
    return error;
  buffers.push_back(std::move(*buffer));
  return arguments.setPointer(index, buffers.back().getAddress());
}

static Expected<std::vector<int64_t>> computeWorkspaces(const LaunchArguments &arguments) {
  std::vector<int64_t> sizes;
  for (const auto &[index, workspace] : llvm::enumerate(arguments.getArtifact().workspaces)) {
    Expected<int64_t> bytes = workspace.bytes.evaluate(arguments.getGridValues());
    if (!bytes)
      return bytes.takeError();
    if (*bytes < 0)
      return llvm::createStringError("expected a size that is not negative for workspace " +
                                     llvm::Twine(index) + ", but got " + llvm::Twine(*bytes) + " bytes");
    sizes.push_back(*bytes);
  }
  return sizes;
}

/// All of them are cleared: what a kernel finds in a workspace does not depend on what ran before.
Error LaunchMemory::allocateWorkspaces() {
  Expected<std::vector<int64_t>> sizes = computeWorkspaces(arguments);
  if (!sizes)
    return sizes.takeError();
  for (const auto &[index, bytes] : llvm::enumerate(*sizes)) {
    Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, bytes);
    if (!buffer)
      return buffer.takeError();
    if (Error error = buffer->fill(0))
      return error;
    workspaces.push_back(std::move(*buffer));
    if (Error error = arguments.setWorkspace(index, workspaces.back().getAddress()))
      return error;
  }
  return Error::success();
}

Error LaunchMemory::upload(llvm::ArrayRef<KernelInput> inputs) {
  for (const auto &[index, input] : llvm::enumerate(inputs)) {
    bool isPointer = input.param.isPointer();
    if (Error error = isPointer ? uploadTensor(index, input.tensor) : arguments.setCode(index, input.code))
      return error;
  }
  return allocateWorkspaces();
}

Error LaunchMemory::download(std::vector<KernelInput> &inputs) const {
  auto buffer = buffers.begin();
  for (KernelInput &input : inputs)
    if (input.param.isPointer())
      if (Error error = (buffer++)->copyTo(input.tensor.bytes))
        return error;
  return Error::success();
}

Expected<LaunchSizes> tilus::computeLaunchSizes(std::shared_ptr<const KernelArtifact> artifact,
                                                llvm::ArrayRef<KernelInput> inputs) {
  LaunchArguments arguments(std::move(artifact));
  for (const auto &[index, input] : llvm::enumerate(inputs))
    if (!input.param.isPointer())
      if (Error error = arguments.setCode(index, input.code))
        return std::move(error);
  Expected<GridSize> grid = computeGrid(arguments);
  if (!grid)
    return grid.takeError();
  Expected<std::vector<int64_t>> workspaces = computeWorkspaces(arguments);
  if (!workspaces)
    return workspaces.takeError();
  LaunchSizes sizes;
  llvm::copy(grid->blocks, sizes.grid.begin());
  sizes.workspaces = std::move(*workspaces);
  return sizes;
}

/// One launch; its milliseconds.
static Expected<double> timeLaunch(const LoadedKernel &kernel, LaunchArguments &arguments,
                                   const Stream &stream, EventTimer &timer) {
  if (Error error = timer.start(stream.getHandle()))
    return std::move(error);
  if (Error error = launch(kernel, arguments, stream.getHandle()))
    return std::move(error);
  if (Error error = timer.stop(stream.getHandle()))
    return std::move(error);
  Expected<float> milliseconds = timer.getMilliseconds();
  if (!milliseconds)
    return milliseconds.takeError();
  return *milliseconds;
}

Expected<RunOutcome> tilus::runOnDevice(const Device &device, std::shared_ptr<const KernelArtifact> artifact,
                                        std::vector<KernelInput> &inputs, const RunPlan &plan) {
  Expected<std::unique_ptr<LoadedKernel>> kernel = LoadedKernel::load(device, artifact);
  if (!kernel)
    return kernel.takeError();
  LaunchArguments arguments(artifact);
  LaunchMemory memory(device, arguments);
  if (Error error = memory.upload(inputs))
    return std::move(error);
  // A copy may still be on its way when it returns, and the stream of the launch does not wait for it.
  if (Error error = device.synchronize())
    return std::move(error);
  Expected<GridSize> grid = computeGrid(arguments);
  if (!grid)
    return grid.takeError();
  Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  Expected<EventTimer> timer = EventTimer::create(device);
  if (!timer)
    return timer.takeError();

  RunOutcome outcome;
  outcome.device = "cuda:" + std::to_string(device.getOrdinal());
  llvm::copy(grid->blocks, outcome.grid.begin());
  std::vector<double> times;
  for (unsigned run = 0; run < plan.repeat + plan.hasWarmUp; ++run) {
    Expected<double> milliseconds = timeLaunch(**kernel, arguments, *stream, *timer);
    if (!milliseconds)
      return milliseconds.takeError();
    if (run == 0)
      if (Error error = memory.download(inputs))
        return std::move(error);
    if (run > 0 || !plan.hasWarmUp)
      times.push_back(*milliseconds);
  }
  outcome.milliseconds = computeMedian(std::move(times));
  return outcome;
}

Expected<OpenDevice> tilus::openDevice(unsigned ordinal) {
  OpenDevice open;
  Expected<std::unique_ptr<CudaDriver>> driver = CudaDriver::load(CudaDriver::getDefaultPath());
  if (!driver)
    return driver.takeError();
  open.driver = std::move(*driver);
  Expected<unsigned> count = Device::count(*open.driver);
  if (!count)
    return count.takeError();
  if (ordinal >= *count)
    return llvm::createStringError("expected a CUDA device with a number below " + llvm::Twine(*count) +
                                   ", but got " + llvm::Twine(ordinal));
  Expected<std::unique_ptr<Device>> device = Device::open(*open.driver, ordinal);
  if (!device)
    return device.takeError();
  open.device = std::move(*device);
  return open;
}
