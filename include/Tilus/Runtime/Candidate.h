// One of the compiled forms that a kernel may take: an artifact under one schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/KernelArtifact.h"

#include <memory>
#include <string>

namespace tilus {

/// Where an artifact came from.
enum class CacheOutcome : uint8_t { Unused, Hit, Miss };

/// A compiled kernel under one schedule. Candidates of one request compute the same results.
struct Candidate {
  std::shared_ptr<const KernelArtifact> artifact;
  /// The schedule's hash, by which a choice is remembered; empty if the kernel has no schedules.
  std::string scheduleHash;
  /// The schedule in words, for reports.
  std::string schedule;
  /// Whether the disk cache was asked for it and had it.
  CacheOutcome cache = CacheOutcome::Unused;
};

} // namespace tilus
