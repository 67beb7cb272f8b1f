// Encoding of the messages between a process that tunes and the one that measures.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MeasureProtocol.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

/// The first number of a setup; to be changed with the messages.
static constexpr uint64_t protocolVersion = 0x74696c7573303033;

static constexpr uint64_t largestText = uint64_t(1) << 20;
static constexpr uint64_t largestCount = uint64_t(1) << 16;
static constexpr uint64_t noRegion = ~uint64_t(0);

//===----------------------------------------------------------------------===//
// Setup
//===----------------------------------------------------------------------===//

void sendSetup(MeasureChannel &channel, llvm::StringRef driverPath, unsigned ordinal,
               const MeasureOptions &options, const TunePlan &plan) {
  channel.sendNumber(protocolVersion);
  channel.sendText(driverPath);
  for (uint64_t number :
       {uint64_t(ordinal), uint64_t(options.warmUp), uint64_t(options.repeat), options.flushBytes})
    channel.sendNumber(number);
  channel.sendReal(options.seconds);
  channel.sendNumber(plan.regions.size());
  for (const TuneRegion &region : plan.regions) {
    channel.sendNumber(region.address);
    channel.sendText(region.name);
    channel.sendNumber(region.bytes);
  }
  channel.sendNumber(plan.values.size());
  for (const TunePlan::Value &value : plan.values) {
    channel.sendNumber(value.code);
    channel.sendNumber(value.region ? *value.region : noRegion);
  }
}

static uint64_t receiveCount(MeasureChannel &channel) {
  return std::min(channel.receiveNumber(), largestCount);
}

std::optional<MeasureSetup> receiveSetup(MeasureChannel &channel) {
  if (channel.receiveNumber() != protocolVersion)
    return std::nullopt;
  MeasureSetup setup;
  setup.driverPath = channel.receiveText(largestText);
  setup.ordinal = static_cast<unsigned>(channel.receiveNumber());
  setup.options.warmUp = static_cast<unsigned>(channel.receiveNumber());
  setup.options.repeat = static_cast<unsigned>(channel.receiveNumber());
  setup.options.flushBytes = channel.receiveNumber();
  setup.options.seconds = channel.receiveReal();
  for (uint64_t i = 0, count = receiveCount(channel); i < count && !channel.hasFailed(); ++i) {
    TuneRegion &region = setup.plan.regions.emplace_back();
    region.address = channel.receiveNumber();
    region.name = channel.receiveText(largestText);
    region.bytes = channel.receiveNumber();
  }
  for (uint64_t i = 0, count = receiveCount(channel); i < count && !channel.hasFailed(); ++i) {
    TunePlan::Value &value = setup.plan.values.emplace_back();
    value.code = channel.receiveNumber();
    if (uint64_t region = channel.receiveNumber(); region < setup.plan.regions.size())
      value.region = static_cast<unsigned>(region);
  }
  if (channel.hasFailed())
    return std::nullopt;
  return setup;
}

//===----------------------------------------------------------------------===//
// Answers
//===----------------------------------------------------------------------===//

void sendStatus(MeasureChannel &channel, const MeasureStatus &status) {
  channel.sendNumber(status.isGood);
  channel.sendNumber(status.isLost);
  channel.sendText(llvm::StringRef(status.reason).take_front(largestText));
}

MeasureStatus receiveStatus(MeasureChannel &channel) {
  MeasureStatus status;
  status.isGood = channel.receiveNumber() == 1;
  status.isLost = channel.receiveNumber() == 1;
  status.reason = channel.receiveText(largestText);
  return status;
}

/// 0 for a region that is as before, else 1 more than the place among the known contents. One beyond the last
/// place announces bytes.
void sendMeasurement(MeasureChannel &channel, const Measurement &measurement,
                     llvm::MutableArrayRef<KnownContents> known) {
  channel.sendReal(measurement.milliseconds);
  for (const auto &[result, contents] : llvm::zip(measurement.results, known)) {
    if (!result) {
      channel.sendNumber(0);
      continue;
    }
    uint64_t place = llvm::find(contents.get(), result) - contents.get().begin();
    channel.sendNumber(place + 1);
    if (place < contents.get().size())
      continue;
    channel.sendBytes(*result);
    contents.add(result);
  }
}

Measurement receiveMeasurement(MeasureChannel &channel, const TunePlan &plan,
                               llvm::MutableArrayRef<KnownContents> known) {
  Measurement measurement;
  measurement.milliseconds = channel.receiveReal();
  for (const auto &[region, contents] : llvm::zip(plan.regions, known)) {
    Contents &result = measurement.results.emplace_back();
    uint64_t number = channel.receiveNumber();
    if (number == 0)
      continue;
    if (number <= contents.get().size()) {
      result = contents.get()[number - 1];
      continue;
    }
    std::vector<uint8_t> bytes = channel.receiveBytes(region.bytes);
    bytes.resize(region.bytes);
    result = std::make_shared<const std::vector<uint8_t>>(std::move(bytes));
    contents.add(result);
  }
  return measurement;
}

} // namespace tilus
