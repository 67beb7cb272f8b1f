//===- TargetInfo.cpp - what is known of each chip
//-------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the tables built from Targets.def and Features.def, and the rules of code and binary compatibility.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/TargetInfo/TargetInfo.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilus;

static constexpr int64_t kib = 1024;

/// From capability 8.0 on the driver keeps 1 KiB of each block (reserved_shared_memory_per_block of
/// cuda/__device/arch_traits.h), which is the difference between the two columns of shared memory.
static constexpr TargetInfo targetTable[] = {
#define TILUS_TARGET(chip, major, minor, suffix, least, ptx, block, sm, threads, blocks, cluster, columns)   \
  TargetInfo{Chip::chip,                                                                                     \
             #chip,                                                                                          \
             "nvptx64-nvidia-cuda",                                                                          \
             "+ptx" #ptx,                                                                                    \
             least,                                                                                          \
             {major, minor},                                                                                 \
             TargetSuffix::suffix,                                                                           \
             block * kib,                                                                                    \
             sm * kib,                                                                                       \
             (sm - block) * kib,                                                                             \
             48 * kib,                                                                                       \
             255,                                                                                            \
             64 * 1024,                                                                                      \
             1024,                                                                                           \
             threads,                                                                                        \
             blocks,                                                                                         \
             32,                                                                                             \
             cluster,                                                                                        \
             columns},
#include "Tilus/TargetInfo/Targets.def"
};

namespace grants {
#define TILUS_TARGET(chip, ...) static constexpr Chip chip = Chip::chip;
#include "Tilus/TargetInfo/Targets.def"
#define TILUS_FEATURE(feature, name, summary, ...) static constexpr Chip feature[] = {__VA_ARGS__};
#include "Tilus/TargetInfo/Features.def"
} // namespace grants

static const FeatureInfo featureTable[] = {
#define TILUS_FEATURE(feature, name, summary, ...) FeatureInfo{name, summary, grants::feature},
#include "Tilus/TargetInfo/Features.def"
};

static bool isAtLeast(ComputeCapability have, ComputeCapability want) {
  return have.major != want.major ? have.major > want.major : have.minor >= want.minor;
}

/// A family is the chips of one major capability.
static bool isLaterInFamily(ComputeCapability have, ComputeCapability want) {
  return have.major == want.major && have.minor >= want.minor;
}

bool tilus::operator==(ComputeCapability a, ComputeCapability b) {
  return a.major == b.major && a.minor == b.minor;
}

std::string ComputeCapability::str() const { return std::to_string(major) + "." + std::to_string(minor); }

bool TargetInfo::supports(const TargetInfo &other) const {
  switch (other.suffix) {
  case TargetSuffix::Base:
    return isAtLeast(capability, other.capability);
  case TargetSuffix::Family:
    return suffix != TargetSuffix::Base && isLaterInFamily(capability, other.capability);
  case TargetSuffix::Exact:
    return id == other.id;
  }
  llvm_unreachable("every suffix is handled above");
}

bool TargetInfo::hasFeature(Feature feature) const {
  return any_of(getFeatureInfo(feature).grants, [&](Chip chip) { return supports(getTarget(chip)); });
}

bool TargetInfo::canRunOn(ComputeCapability device) const {
  if (suffix == TargetSuffix::Exact)
    return device == capability;
  return isLaterInFamily(device, capability);
}

bool tilus::canRun(const TargetInfo &binaryTarget, ComputeCapability device) {
  return binaryTarget.canRunOn(device);
}

ArrayRef<TargetInfo> tilus::allTargets() { return targetTable; }

const TargetInfo &tilus::getTarget(Chip chip) { return targetTable[static_cast<size_t>(chip)]; }

/// "nvgpu/sm90a", "nvgpu_sm90a", "sm90a" and "sm_90a" all name the chip "90a".
static StringRef stripPrefixes(StringRef name) {
  if (name.consume_front("nvgpu") && !(name.consume_front("/") || name.consume_front("_")))
    return "";
  if (!name.consume_front("sm"))
    return "";
  name.consume_front("_");
  return name;
}

const TargetInfo *tilus::lookupTarget(StringRef name) {
  StringRef number = stripPrefixes(name);
  for (const TargetInfo &target : targetTable)
    if (number == target.chip.drop_front(strlen("sm_")))
      return &target;
  return nullptr;
}

const TargetInfo *tilus::lookupTarget(ComputeCapability device) {
  const TargetInfo *found = nullptr;
  for (const TargetInfo &target : targetTable)
    if (target.capability == device && (!found || target.suffix == TargetSuffix::Exact))
      found = &target;
  return found;
}

StringRef tilus::suggestTarget(StringRef name) {
  // One edit of a name without its prefixes is a slip; more is another chip.
  constexpr unsigned maxEdits = 1;
  StringRef number = stripPrefixes(name);
  if (number.empty())
    number = name;
  StringRef best;
  unsigned bestDistance = maxEdits + 1;
  for (const TargetInfo &target : targetTable) {
    unsigned distance = number.edit_distance(target.chip.drop_front(strlen("sm_")), true, maxEdits);
    if (distance < bestDistance) {
      best = target.chip;
      bestDistance = distance;
    }
  }
  return best;
}

std::string tilus::describeUnknownTarget(StringRef name) {
  std::string message = "expected a known chip, but got '" + name.str() + "'";
  StringRef suggestion = suggestTarget(name);
  if (!suggestion.empty())
    return message + "; did you mean '" + suggestion.str() + "'?";
  auto names = map_range(targetTable, [](const TargetInfo &target) { return StringRef(target.chip); });
  return message + "; known are " + join(names, ", ");
}

ArrayRef<FeatureInfo> tilus::allFeatures() { return featureTable; }

const FeatureInfo &tilus::getFeatureInfo(Feature feature) {
  return featureTable[static_cast<size_t>(feature)];
}

std::optional<Feature> tilus::lookupFeature(StringRef name) {
  for (size_t i = 0, e = std::size(featureTable); i != e; ++i)
    if (featureTable[i].name == name)
      return static_cast<Feature>(i);
  return std::nullopt;
}
