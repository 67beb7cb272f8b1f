// Running a compiled kernel on a CUDA device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/KernelExecution.h"

#include "DispatchedKernel.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/Launcher.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;

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

/// Launches on a stream.
using LaunchFunction = llvm::function_ref<Error(cuda::StreamHandle stream)>;

/// One launch; its milliseconds.
static Expected<double> timeLaunch(LaunchFunction launchOnce, const Stream &stream, EventTimer &timer) {
  if (Error error = timer.start(stream.getHandle()))
    return std::move(error);
  if (Error error = launchOnce(stream.getHandle()))
    return std::move(error);
  if (Error error = timer.stop(stream.getHandle()))
    return std::move(error);
  Expected<float> milliseconds = timer.getMilliseconds();
  if (!milliseconds)
    return milliseconds.takeError();
  return *milliseconds;
}

/// The launches that the plan asks for; `afterFirst` is called behind the first one. The median of the timed
/// ones, in milliseconds.
static Expected<double> timeLaunches(const Device &device, const RunPlan &plan, LaunchFunction launchOnce,
                                     llvm::function_ref<Error()> afterFirst) {
  Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  Expected<EventTimer> timer = EventTimer::create(device);
  if (!timer)
    return timer.takeError();
  std::vector<double> times;
  for (unsigned run = 0; run < plan.repeat + plan.hasWarmUp; ++run) {
    Expected<double> milliseconds = timeLaunch(launchOnce, *stream, *timer);
    if (!milliseconds)
      return milliseconds.takeError();
    if (run == 0)
      if (Error error = afterFirst())
        return std::move(error);
    if (run > 0 || !plan.hasWarmUp)
      times.push_back(*milliseconds);
  }
  return computeMedian(std::move(times));
}

/// Copies the tensors to the device; one buffer a pointer, in order. `values` are those of the call.
static Expected<std::vector<DeviceBuffer>> upload(const Device &device, llvm::ArrayRef<KernelInput> inputs,
                                                  std::vector<CallValue> &values) {
  std::vector<DeviceBuffer> buffers;
  for (const KernelInput &input : inputs) {
    values.push_back(makeCallValue(input.param, input.code));
    if (!input.param.isPointer())
      continue;
    Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, input.tensor.bytes.size());
    if (!buffer)
      return buffer.takeError();
    if (Error error = buffer->copyFrom(input.tensor.bytes))
      return std::move(error);
    values.back() = CallValue::getPointer(buffer->getAddress(), buffer->getBytes(), device.getOrdinal());
    buffers.push_back(std::move(*buffer));
  }
  // A copy may still be on its way when it returns, and the stream of the launch does not wait for it.
  if (Error error = device.synchronize())
    return std::move(error);
  return buffers;
}

static Error download(llvm::ArrayRef<DeviceBuffer> buffers, std::vector<KernelInput> &inputs) {
  auto buffer = buffers.begin();
  for (KernelInput &input : inputs)
    if (input.param.isPointer())
      if (Error error = (buffer++)->copyTo(input.tensor.bytes))
        return error;
  return Error::success();
}

Expected<RunOutcome> tilus::runOnDevice(const DeviceRun &run, std::vector<KernelInput> &inputs,
                                        const RunPlan &plan) {
  Expected<LaunchSizes> sizes = computeLaunchSizes(run.artifact, inputs);
  if (!sizes)
    return sizes.takeError();
  std::vector<CallValue> values;
  Expected<std::vector<DeviceBuffer>> buffers = upload(run.device, inputs, values);
  if (!buffers)
    return buffers.takeError();
  auto launchOnce = [&](cuda::StreamHandle stream) {
    return run.dispatcher.call(values, {&run.device, stream, &Target::get(run.target)});
  };
  Expected<double> milliseconds =
      timeLaunches(run.device, plan, launchOnce, [&] { return download(*buffers, inputs); });
  if (!milliseconds)
    return milliseconds.takeError();
  RunOutcome outcome;
  outcome.device = "cuda:" + std::to_string(run.device.getOrdinal());
  outcome.grid = sizes->grid;
  outcome.milliseconds = *milliseconds;
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
