// Measuring of candidates on a device of this process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CandidateMeasurer.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/Launcher.h"

#include "llvm/ADT/STLExtras.h"
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

namespace tilus {

using Clock = std::chrono::steady_clock;

/// Launches that are timed even if they are slow.
static constexpr size_t fewestSamples = 3;
/// Timed launches that are enough where they took this long together.
static constexpr size_t enoughSamples = 5;
static constexpr double enoughMilliseconds = 20;
/// A candidate is clearly slower if its fastest launch takes this many times the median of a better one.
static constexpr double slowFactor = 1.3;

namespace {

/// What one candidate needs beside what it shares with the others.
struct CandidateRun {
  explicit CandidateRun(std::shared_ptr<const KernelArtifact> artifact) : arguments(std::move(artifact)) {}

  std::unique_ptr<LoadedKernel> kernel;
  LaunchArguments arguments;
  std::vector<DeviceBuffer> workspaces;
  Clock::time_point deadline;
};

/// The time of the fastest candidate that gave certain results.
struct BestTime {
  std::vector<Contents> results;
  double milliseconds;
};

/// The launches that were timed so far.
struct Samples {
  std::vector<float> milliseconds;
  double sum = 0;
  float least = std::numeric_limits<float>::infinity();

  void add(float sample) {
    milliseconds.push_back(sample);
    sum += sample;
    least = std::min(least, sample);
  }
  /// Whether more would neither change the choice nor make the median better.
  bool areEnough(double best) const {
    size_t count = milliseconds.size();
    return (count >= enoughSamples && sum >= enoughMilliseconds) ||
           (count >= fewestSamples && least > slowFactor * best);
  }
  double getMedian() {
    auto middle = milliseconds.begin() + milliseconds.size() / 2;
    std::nth_element(milliseconds.begin(), middle, milliseconds.end());
    return *middle;
  }
};

/// What all candidates share.
struct MeasurerState {
  TuneMemory memory;
  Stream stream;
  EventTimer timer;
  DeviceBuffer flush;
  ResultReader reader;
  /// For each region what candidates left in it.
  std::vector<KnownContents> known;
  std::vector<BestTime> best;
  /// Kernels that were loaded ahead.
  std::map<const KernelArtifact *, std::unique_ptr<LoadedKernel>> kernels;
};

class DeviceMeasurer : public CandidateMeasurer {
public:
  DeviceMeasurer(const Device &device, const RegionContents &before, const MeasureOptions &options,
                 MeasurerState state)
      : device(device), before(before), options(options),
        state(std::make_unique<MeasurerState>(std::move(state))) {}
  ~DeviceMeasurer() override;

  void load(llvm::ArrayRef<Candidate> candidates) override;
  llvm::Expected<Measurement> measure(const std::shared_ptr<const KernelArtifact> &artifact) override;
  bool isLost() const override { return lost; }

private:
  llvm::Expected<Measurement> measureRun(CandidateRun &run);
  llvm::Error loadKernel(CandidateRun &run);
  llvm::Error prepare(CandidateRun &run);
  llvm::Error allocateWorkspaces(CandidateRun &run);
  llvm::Error launchOnce(CandidateRun &run);
  llvm::Error wait(const CandidateRun &run);
  llvm::Error restore(const Measurement &measurement);
  llvm::Error readResults(Measurement &measurement);
  llvm::Error checkWorkspaces(const CandidateRun &run);
  llvm::Error time(CandidateRun &run, Measurement &measurement);
  BestTime &findBest(const std::vector<Contents> &results);

  const Device &device;
  const RegionContents &before;
  MeasureOptions options;
  std::unique_ptr<MeasurerState> state;
  /// Whether the stream has work that never ends or has failed, so that nothing of it can be freed.
  bool lost = false;
};

} // namespace

/// Freeing memory waits for the device: what a lost one may still use is left to the end of the process.
DeviceMeasurer::~DeviceMeasurer() {
  if (lost)
    (void)state.release();
}

llvm::Expected<Measurement> DeviceMeasurer::measure(const std::shared_ptr<const KernelArtifact> &artifact) {
  auto run = std::make_unique<CandidateRun>(artifact);
  llvm::Expected<Measurement> measurement = measureRun(*run);
  if (lost)
    (void)run.release();
  return measurement;
}

llvm::Expected<Measurement> DeviceMeasurer::measureRun(CandidateRun &run) {
  if (llvm::Error error = prepare(run))
    return std::move(error);
  Measurement measurement;
  measurement.results.resize(before.size());
  for (unsigned region = 0; region < before.size(); ++region)
    if (llvm::Error error = state->memory.restore(region, state->stream.getHandle()))
      return std::move(error);
  run.deadline = Clock::now() +
                 std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  if (llvm::Error error = launchOnce(run))
    return std::move(error);
  if (llvm::Error error = readResults(measurement))
    return std::move(error);
  if (llvm::Error error = checkWorkspaces(run))
    return std::move(error);
  if (llvm::Error error = time(run, measurement))
    return std::move(error);
  return std::move(measurement);
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

void DeviceMeasurer::load(llvm::ArrayRef<Candidate> candidates) {
  std::vector<std::unique_ptr<LoadedKernel>> loaded(candidates.size());
  std::atomic<size_t> next = 0;
  const auto work = [&] {
    for (size_t index; (index = next++) < candidates.size();) {
      llvm::Expected<std::unique_ptr<LoadedKernel>> kernel =
          LoadedKernel::load(device, candidates[index].artifact);
      if (kernel)
        loaded[index] = std::move(*kernel);
      else
        llvm::consumeError(kernel.takeError());
    }
  };
  std::vector<std::thread> threads;
  for (size_t i = 1, count = std::thread::hardware_concurrency(); i < std::min(count, candidates.size()); ++i)
    threads.emplace_back(work);
  work();
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &[candidate, kernel] : llvm::zip(candidates, loaded))
    if (kernel)
      state->kernels[candidate.artifact.get()] = std::move(kernel);
}

llvm::Error DeviceMeasurer::loadKernel(CandidateRun &run) {
  if (auto found = state->kernels.find(&run.arguments.getArtifact()); found != state->kernels.end()) {
    run.kernel = std::move(found->second);
    state->kernels.erase(found);
    return llvm::Error::success();
  }
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel =
      LoadedKernel::load(device, run.arguments.getSharedArtifact());
  if (!kernel)
    return kernel.takeError();
  run.kernel = std::move(*kernel);
  return llvm::Error::success();
}

llvm::Error DeviceMeasurer::prepare(CandidateRun &run) {
  const KernelArtifact &artifact = run.arguments.getArtifact();
  const TunePlan &plan = state->memory.getPlan();
  if (artifact.params.size() != plan.values.size())
    return llvm::createStringError("expected " + llvm::Twine(plan.values.size()) +
                                   " parameters, as the first candidate has, but got " +
                                   llvm::Twine(artifact.params.size()));
  if (llvm::Error error = loadKernel(run))
    return error;
  for (const auto &[index, param, value] : llvm::enumerate(artifact.params, plan.values)) {
    uint64_t code = state->memory.getCode(value);
    if (llvm::Error error =
            param.isPointer() ? run.arguments.setPointer(index, code) : run.arguments.setCode(index, code))
      return error;
  }
  return allocateWorkspaces(run);
}

llvm::Error DeviceMeasurer::allocateWorkspaces(CandidateRun &run) {
  for (const auto &[index, workspace] : llvm::enumerate(run.arguments.getArtifact().workspaces)) {
    llvm::Expected<int64_t> bytes = workspace.bytes.evaluate(run.arguments.getGridValues());
    if (!bytes)
      return bytes.takeError();
    llvm::Expected<DeviceBuffer> buffer = DeviceBuffer::allocate(device, std::max<int64_t>(0, *bytes));
    if (!buffer)
      return buffer.takeError();
    if (llvm::Error error = buffer->fillAsync(0, state->stream.getHandle()))
      return error;
    run.workspaces.push_back(std::move(*buffer));
    if (llvm::Error error = run.arguments.setWorkspace(index, run.workspaces.back().getAddress()))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

llvm::Error DeviceMeasurer::wait(const CandidateRun &run) {
  // Short kernels are waited for without sleeping.
  Clock::time_point impatient = Clock::now() + std::chrono::milliseconds(2);
  for (;;) {
    llvm::Expected<bool> isDone = state->timer.isDone();
    if (!isDone) {
      lost = true;
      return isDone.takeError();
    }
    if (*isDone)
      return llvm::Error::success();
    Clock::time_point now = Clock::now();
    if (now >= run.deadline) {
      lost = true;
      return llvm::createStringError(
          "expected all launches to end within %g s, but got one that was still running", options.seconds);
    }
    if (now >= impatient)
      std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

/// Launches between the timer's points, and waits.
llvm::Error DeviceMeasurer::launchOnce(CandidateRun &run) {
  if (llvm::Error error = state->timer.start(state->stream.getHandle()))
    return error;
  llvm::Error error = launch(*run.kernel, run.arguments, state->stream.getHandle());
  if (llvm::Error stopError = state->timer.stop(state->stream.getHandle())) {
    lost = true;
    return llvm::joinErrors(std::move(error), std::move(stopError));
  }
  // Also after a failed launch: what was put on the stream before it must be over.
  if (llvm::Error waitError = wait(run))
    return llvm::joinErrors(std::move(error), std::move(waitError));
  return error;
}

/// Restores the regions that the candidate changes.
llvm::Error DeviceMeasurer::restore(const Measurement &measurement) {
  for (const auto &[region, result] : llvm::enumerate(measurement.results))
    if (result)
      if (llvm::Error error = state->memory.restore(region, state->stream.getHandle()))
        return error;
  return llvm::Error::success();
}

llvm::Error DeviceMeasurer::readResults(Measurement &measurement) {
  for (const auto &[region, result] : llvm::enumerate(measurement.results)) {
    llvm::Expected<Contents> contents =
        state->reader.read(state->memory.getAddress(region), before[region], state->known[region]);
    if (!contents)
      return contents.takeError();
    result = std::move(*contents);
  }
  return llvm::Error::success();
}

llvm::Error DeviceMeasurer::checkWorkspaces(const CandidateRun &run) {
  for (const auto &[index, buffer] : llvm::enumerate(run.workspaces)) {
    if (!run.arguments.getArtifact().workspaces[index].isClean)
      continue;
    std::vector<uint8_t> contents(buffer.getBytes());
    if (llvm::Error error = readMemory(device, buffer.getAddress(), contents, state->stream.getHandle()))
      return error;
    if (!llvm::all_of(contents, [](uint8_t byte) { return byte == 0; }))
      return llvm::createStringError("expected zeros in workspace " + llvm::Twine(index) +
                                     " after a launch, but got something else");
  }
  return llvm::Error::success();
}

BestTime &DeviceMeasurer::findBest(const std::vector<Contents> &results) {
  for (BestTime &best : state->best)
    if (best.results == results)
      return best;
  return state->best.emplace_back(BestTime{results, std::numeric_limits<double>::infinity()});
}

/// The launch that gave the results was the first one of those to warm up. Only candidates with the same
/// results let one stop early: if they are refused, it is too.
llvm::Error DeviceMeasurer::time(CandidateRun &run, Measurement &measurement) {
  Clock::time_point begin = Clock::now(), slow = begin + (run.deadline - begin) / 2;
  BestTime &best = findBest(measurement.results);
  Samples samples;
  for (unsigned round = 1; round < options.warmUp + options.repeat; ++round) {
    if (llvm::Error error = restore(measurement))
      return error;
    if (llvm::Error error = state->flush.fillAsync(0, state->stream.getHandle()))
      return error;
    if (llvm::Error error = launchOnce(run))
      return error;
    if (round < options.warmUp)
      continue;
    llvm::Expected<float> milliseconds = state->timer.getMilliseconds();
    if (!milliseconds)
      return milliseconds.takeError();
    samples.add(*milliseconds);
    if (samples.areEnough(best.milliseconds) ||
        (Clock::now() > slow && samples.milliseconds.size() >= fewestSamples))
      break;
  }
  measurement.milliseconds = samples.getMedian();
  best.milliseconds = std::min(best.milliseconds, measurement.milliseconds);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<CandidateMeasurer>> createDeviceMeasurer(const Device &device,
                                                                        const TunePlan &plan,
                                                                        const RegionContents &before,
                                                                        const MeasureOptions &options) {
  llvm::Expected<TuneMemory> memory = TuneMemory::allocate(device, plan);
  if (!memory)
    return memory.takeError();
  llvm::Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  llvm::Expected<EventTimer> timer = EventTimer::create(device);
  if (!timer)
    return timer.takeError();
  llvm::Expected<DeviceBuffer> flush = DeviceBuffer::allocate(device, options.flushBytes);
  if (!flush)
    return flush.takeError();
  llvm::Expected<ResultReader> reader = ResultReader::create(device);
  if (!reader)
    return reader.takeError();
  MeasurerState state = {std::move(*memory),
                         std::move(*stream),
                         std::move(*timer),
                         std::move(*flush),
                         std::move(*reader),
                         std::vector<KnownContents>(before.size()),
                         {},
                         {}};
  return std::make_unique<DeviceMeasurer>(device, before, options, std::move(state));
}

} // namespace tilus
