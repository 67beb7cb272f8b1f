//===- TargetInfo.h - what is known of each chip -----------------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the tables of chips and features, and every comparison of compute capabilities in the project. It does
// not know how kernels are compiled or launched.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace tilus {

/// How far code for a chip reaches: every later chip (Base), the later chips of its family (Family, 'f'), or
/// that chip alone (Exact, 'a').
enum class TargetSuffix : uint8_t { Base, Family, Exact };

/// The chips, in the order of Targets.def.
enum class Chip : uint8_t {
#define TILUS_TARGET(chip, ...) chip,
#include "Tilus/TargetInfo/Targets.def"
};

/// The hardware features, in the order of Features.def.
enum class Feature : uint8_t {
#define TILUS_FEATURE(feature, ...) feature,
#include "Tilus/TargetInfo/Features.def"
};

/// The compute capability of a device.
struct ComputeCapability {
  int major;
  int minor;

  /// "9.0".
  std::string str() const;
};

/// True if both are the same capability.
bool operator==(ComputeCapability a, ComputeCapability b);
inline bool operator!=(ComputeCapability a, ComputeCapability b) { return !(a == b); }

/// One chip: its names, its limits, and what code it takes. Instances are rows of a constant table; they are
/// compared by address.
struct TargetInfo {
  /// The row's own enumerator.
  Chip id;
  /// The vendor's name, for example "sm_90a".
  llvm::StringLiteral chip;
  /// The LLVM target triple.
  llvm::StringLiteral triple;
  /// The LLVM subtarget feature of the PTX version emitted by default, for example "+ptx88".
  llvm::StringLiteral ptxFeature;
  /// The first version of PTX that has the chip, in tenths: 88 for 8.8.
  int minPTXVersion;
  /// The compute capability of the devices that it names.
  ComputeCapability capability;
  /// How far code for it reaches.
  TargetSuffix suffix;
  /// Shared memory that a block may opt into, in bytes.
  int64_t maxSharedMemoryPerBlock;
  /// Shared memory of one multiprocessor, in bytes.
  int64_t sharedMemoryPerMultiprocessor;
  /// Shared memory that the driver takes of each resident block, in bytes.
  int64_t reservedSharedMemoryPerBlock;
  /// Shared memory that a kernel may declare statically, in bytes.
  int64_t maxStaticSharedMemory;
  /// 32-bit registers of one thread, at most.
  int maxRegistersPerThread;
  /// 32-bit registers of one multiprocessor, which is also the most that one block gets.
  int registersPerMultiprocessor;
  /// Threads of one block, at most.
  int maxThreadsPerBlock;
  /// Resident threads of one multiprocessor, at most.
  int maxThreadsPerMultiprocessor;
  /// Resident blocks of one multiprocessor, at most.
  int maxBlocksPerMultiprocessor;
  /// Threads of a warp.
  int warpSize;
  /// Blocks of a cluster that every device of this chip takes; 1 if there are no clusters.
  int maxClusterSize;
  /// Columns of tensor memory of one multiprocessor, of 128 lanes of 32 bits; 0 if there is none.
  int tensorMemoryColumns;

  /// True if code that requires `other` is legal on this target. A base `other` asks for its capability or a
  /// later one; a family `other` for the same family at the same minor capability or a later one and a
  /// suffix; an exact `other` for itself.
  bool supports(const TargetInfo &other) const;

  /// True if the target has the feature.
  bool hasFeature(Feature feature) const;

  /// True if the device can load a cubin that was assembled for this target: the same major capability and a
  /// minor one that is not earlier, or for an exact target the same capability. (The vendor promises this for
  /// discrete devices; it makes no promise between discrete devices and systems on a chip.)
  bool canRunOn(ComputeCapability device) const;
};

/// One feature: its name, and the chips that grant it.
struct FeatureInfo {
  /// The name used in IR and diagnostics, for example "tcgen05.mma.i8".
  llvm::StringLiteral name;
  /// One line on what it is.
  llvm::StringLiteral summary;
  /// A target has the feature if it supports one of these.
  llvm::ArrayRef<Chip> grants;
};

/// All chips, in the order of Targets.def.
llvm::ArrayRef<TargetInfo> allTargets();

/// The row of a chip.
const TargetInfo &getTarget(Chip chip);

/// The row of the chip named: "sm_90a", "sm90a", "nvgpu_sm90a" or "nvgpu/sm90a". Null if there is none.
const TargetInfo *lookupTarget(llvm::StringRef name);

/// The most specific row for a device of this capability: exact if there is one, else base. Null if unknown.
const TargetInfo *lookupTarget(ComputeCapability device);

/// The chip whose name is nearest to `name`, if one is near enough to be meant; empty if not.
llvm::StringRef suggestTarget(llvm::StringRef name);

/// The error for a chip name that lookupTarget does not know, with a suggestion or the list of chips:
/// "expected a known chip, but got 'sm_91'; did you mean 'sm_90'?".
std::string describeUnknownTarget(llvm::StringRef name);

/// True if the device can load a cubin that was assembled for `binaryTarget`.
bool canRun(const TargetInfo &binaryTarget, ComputeCapability device);

/// All features, in the order of Features.def.
llvm::ArrayRef<FeatureInfo> allFeatures();

/// The row of a feature.
const FeatureInfo &getFeatureInfo(Feature feature);

/// The feature of this name; none if there is none.
std::optional<Feature> lookupFeature(llvm::StringRef name);

} // namespace tilus
