// Measuring of single candidates, in this process or in another one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "RegionContents.h"
#include "ResultReader.h"

#include <memory>

namespace tilus {

/// What a candidate took, and what it wrote.
struct Measurement {
  /// The median of the timed launches.
  double milliseconds = 0;
  /// For each region its contents after one launch; null where it left them as they were.
  std::vector<Contents> results;
};

/// The part of TuneOptions that concerns one candidate.
struct MeasureOptions {
  unsigned warmUp;
  unsigned repeat;
  double seconds;
  uint64_t flushBytes;
};

class CandidateMeasurer {
public:
  virtual ~CandidateMeasurer() = default;
  /// Loads, on all processors at once, what is to be measured next. What cannot be loaded is left to
  /// measure().
  virtual void load(llvm::ArrayRef<Candidate> candidates) {}
  /// Measures a candidate. The error says why it may not be chosen.
  virtual llvm::Expected<Measurement> measure(const std::shared_ptr<const KernelArtifact> &artifact) = 0;
  /// Whether a candidate has made it impossible to measure others.
  virtual bool isLost() const = 0;
};

/// Measures on the device, in this process. `before` are the contents of the plan's regions.
llvm::Expected<std::unique_ptr<CandidateMeasurer>> createDeviceMeasurer(const Device &device,
                                                                        const TunePlan &plan,
                                                                        const RegionContents &before,
                                                                        const MeasureOptions &options);

/// Measures in a process of the program `tilus-measure`; fails if it cannot be started.
llvm::Expected<std::unique_ptr<CandidateMeasurer>>
createChildMeasurer(const Device &device, const TunePlan &plan, const RegionContents &before,
                    const MeasureOptions &options, llvm::StringRef program);

} // namespace tilus
