// Tuning: measuring of all candidates, comparing of their results, and the choice.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Tuner.h"
#include "CandidateMeasurer.h"
#include "Tilus/Runtime/EventTimer.h"
#include "Tilus/Runtime/ResultComparison.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

std::string TuneReport::describeRefusals() const {
  std::string text;
  for (const TuneOutcome &outcome : outcomes)
    if (!outcome.reason.empty())
      text += (text.empty() ? "" : "\n") + outcome.schedule + ": " + outcome.reason;
  return text;
}

//===----------------------------------------------------------------------===//
// Comparing of results
//===----------------------------------------------------------------------===//

namespace {
/// Candidates whose results agree with those of the first of them.
struct Group {
  std::vector<unsigned> members;
};

/// The regions and what was in them.
struct Setting {
  TunePlan plan;
  RegionContents before;
};
} // namespace

using Measurements = std::vector<std::optional<Measurement>>;

static std::optional<std::string> compareRegion(const Setting &setting, unsigned index,
                                                llvm::ArrayRef<uint8_t> actual,
                                                llvm::ArrayRef<uint8_t> expected) {
  const TuneRegion &region = setting.plan.regions[index];
  uint64_t offset = region.formatOffset;
  llvm::ArrayRef<uint8_t> before = setting.before[index];
  if (actual.take_front(offset) != expected.take_front(offset))
    return "the memory before '" + region.name + "' differs";
  std::optional<std::string> difference = compareElements(
      actual.drop_front(offset), expected.drop_front(offset), before.drop_front(offset), region.format);
  if (difference)
    return "'" + region.name + "': " + *difference;
  return std::nullopt;
}

/// The first difference between the results of two candidates, or nothing.
static std::optional<std::string> compare(const Setting &setting, const Measurement &actual,
                                          const Measurement &expected) {
  for (unsigned index = 0; index < setting.before.size(); ++index) {
    const Contents &a = actual.results[index], &b = expected.results[index];
    if (a == b)
      continue;
    llvm::ArrayRef<uint8_t> before = setting.before[index];
    if (std::optional<std::string> difference =
            compareRegion(setting, index, a ? llvm::ArrayRef(*a) : before, b ? llvm::ArrayRef(*b) : before))
      return difference;
  }
  return std::nullopt;
}

static std::vector<Group> groupByResults(const Setting &setting, const Measurements &measurements) {
  std::vector<Group> groups;
  for (const auto &[index, measurement] : llvm::enumerate(measurements)) {
    if (!measurement)
      continue;
    // Equal results are mostly one object, so that what agreed with the first of a group does so again.
    auto group = llvm::find_if(groups, [&, &measurement = measurement](const Group &group) {
      return llvm::any_of(group.members, [&](unsigned member) {
        return measurements[member]->results == measurement->results;
      });
    });
    if (group == groups.end())
      group = llvm::find_if(groups, [&, &measurement = measurement](const Group &group) {
        return !compare(setting, *measurement, *measurements[group.members.front()]);
      });
    if (group == groups.end())
      group = groups.insert(groups.end(), Group());
    group->members.push_back(index);
  }
  return groups;
}

/// Refuses all candidates outside of the largest group, the first of several.
static void refuseMinorities(const Setting &setting, const Measurements &measurements, TuneReport &report) {
  std::vector<Group> groups = groupByResults(setting, measurements);
  if (groups.empty())
    return;
  const auto largest = std::max_element(groups.begin(), groups.end(), [](const Group &a, const Group &b) {
    return a.members.size() < b.members.size();
  });
  unsigned leader = largest->members.front();
  for (const Group &group : groups) {
    if (&group == &*largest)
      continue;
    for (unsigned member : group.members) {
      std::optional<std::string> difference = compare(setting, *measurements[member], *measurements[leader]);
      report.outcomes[member].reason =
          ("expected the results of '" + report.outcomes[leader].schedule + "' and " +
           llvm::Twine(largest->members.size() - 1) + " others, but got a difference: " +
           (difference ? *difference : std::string("within the tolerance")))
              .str();
    }
  }
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static void choose(TuneReport &report) {
  for (const auto &[index, outcome] : llvm::enumerate(report.outcomes))
    if (outcome.reason.empty() &&
        (!report.best || *outcome.milliseconds < *report.outcomes[*report.best].milliseconds))
      report.best = index;
}

static llvm::Expected<uint64_t> computeFlushBytes(const Device &device, const TuneOptions &options) {
  if (options.flushBytes)
    return *options.flushBytes;
  constexpr uint64_t least = uint64_t(128) << 20;
  llvm::Expected<int> cache = device.getAttribute(cuda::l2CacheSize);
  if (!cache)
    return cache.takeError();
  return std::max(least, 2 * uint64_t(*cache));
}

/// What a call on the stream may rely on is done then. Waiting for the whole device would end all captures.
static llvm::Error waitForStream(const Device &device, cuda::StreamHandle stream) {
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = device.getDriver();
  return driver.check(driver->streamSynchronize(stream), "cuStreamSynchronize",
                      "a tuning on " + device.describe());
}

/// The contents of all regions, as they are now.
static llvm::Expected<RegionContents> readRegions(const Device &device, const TunePlan &plan) {
  llvm::Expected<RegionContents> contents = RegionContents::create(plan.regions);
  if (!contents)
    return contents.takeError();
  llvm::Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.takeError();
  for (const auto &[index, region] : llvm::enumerate(plan.regions))
    if (llvm::Error error =
            readMemory(device, region.address, contents->getWritable(index), stream->getHandle()))
      return std::move(error);
  return contents;
}

static TuneReport measureAll(CandidateMeasurer &measurer, const Setting &setting,
                             llvm::ArrayRef<Candidate> candidates, const TuneOptions &options) {
  TuneReport report;
  Measurements measurements;
  TuneProgress progress = {0, static_cast<unsigned>(candidates.size()), nullptr, 0};
  std::string lostBy;
  measurer.load(candidates);
  for (const Candidate &candidate : candidates) {
    TuneOutcome &outcome =
        report.outcomes.emplace_back(TuneOutcome{candidate.scheduleHash, candidate.schedule, {}, {}});
    measurements.emplace_back();
    if (!lostBy.empty()) {
      outcome.reason = "not measured, for '" + lostBy + "' made the device unusable";
      continue;
    }
    llvm::Expected<Measurement> measurement = measurer.measure(candidate.artifact);
    if (!measurement) {
      outcome.reason = llvm::toString(measurement.takeError());
      if (measurer.isLost())
        lostBy = candidate.schedule;
    } else {
      outcome.milliseconds = measurement->milliseconds;
      measurements.back() = std::move(*measurement);
      if (!progress.best || *outcome.milliseconds < progress.bestMilliseconds) {
        progress.best = &candidate;
        progress.bestMilliseconds = *outcome.milliseconds;
      }
    }
    ++progress.done;
    if (options.onProgress)
      options.onProgress(progress);
  }
  refuseMinorities(setting, measurements, report);
  choose(report);
  return report;
}

llvm::Expected<TuneReport> tune(const Device &device, llvm::ArrayRef<Candidate> candidates,
                                llvm::ArrayRef<TuneValue> values, const TuneOptions &options,
                                cuda::StreamHandle stream) {
  if (candidates.empty())
    return llvm::createStringError("expected at least one candidate to tune, but got none");
  llvm::Expected<TunePlan> plan = planTuning(device, candidates.front().artifact->params, values);
  if (!plan)
    return plan.takeError();
  llvm::Expected<uint64_t> flushBytes = computeFlushBytes(device, options);
  if (!flushBytes)
    return flushBytes.takeError();
  RelaxedCaptureScope relaxed(device.getDriver());
  if (llvm::Error error = waitForStream(device, stream))
    return std::move(error);
  llvm::Expected<RegionContents> before = readRegions(device, *plan);
  if (!before)
    return before.takeError();
  Setting setting = {std::move(*plan), std::move(*before)};
  MeasureOptions measureOptions = {std::max(1u, options.warmUp), std::max(1u, options.repeat),
                                   options.secondsPerCandidate, *flushBytes};
  std::string warning;
  if (!options.measureProgram.empty()) {
    llvm::Expected<std::unique_ptr<CandidateMeasurer>> measurer =
        createChildMeasurer(device, setting.plan, setting.before, measureOptions, options.measureProgram);
    if (measurer)
      return measureAll(**measurer, setting, candidates, options);
    warning = llvm::toString(measurer.takeError());
  }
  llvm::Expected<std::unique_ptr<CandidateMeasurer>> measurer =
      createDeviceMeasurer(device, setting.plan, setting.before, measureOptions);
  if (!measurer)
    return measurer.takeError();
  TuneReport report = measureAll(**measurer, setting, candidates, options);
  report.warning = std::move(warning);
  return std::move(report);
}

} // namespace tilus
