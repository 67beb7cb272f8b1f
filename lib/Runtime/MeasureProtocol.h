// The messages between a process that tunes and the one that measures for it.
//
// The first one shares the contents of the regions by a file in memory. It sends a setup, and is answered by
// a status. Then it sends artifacts, each as the bytes of a file, and is answered by a status and, if that is
// good, a measurement. Both ends come from one build.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "CandidateMeasurer.h"
#include "MeasureChannel.h"

namespace tilus {

/// What the process that measures has to know of all candidates.
struct MeasureSetup {
  std::string driverPath;
  unsigned ordinal = 0;
  MeasureOptions options = {};
  /// The regions' names, addresses and sizes are those of the process that tunes.
  TunePlan plan;
};

/// Whether a step was done; else why not, and whether the sender can go on.
struct MeasureStatus {
  bool isGood = false;
  bool isLost = false;
  std::string reason;
};

void sendSetup(MeasureChannel &channel, llvm::StringRef driverPath, unsigned ordinal,
               const MeasureOptions &options, const TunePlan &plan);
/// Nothing if the channel failed or the other end speaks another version.
std::optional<MeasureSetup> receiveSetup(MeasureChannel &channel);

void sendStatus(MeasureChannel &channel, const MeasureStatus &status);
MeasureStatus receiveStatus(MeasureChannel &channel);

/// Contents that were sent before are named, not sent again: both ends keep those of each region.
void sendMeasurement(MeasureChannel &channel, const Measurement &measurement,
                     llvm::MutableArrayRef<KnownContents> known);
Measurement receiveMeasurement(MeasureChannel &channel, const TunePlan &plan,
                               llvm::MutableArrayRef<KnownContents> known);

} // namespace tilus
