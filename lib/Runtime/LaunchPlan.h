// How the values of a call become the parameters of one kernel, worked out once a kernel.
//
// Owns: conversion and checking of values, the grid, and the block of parameters that a launch reads. It
// knows no driver calls. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CallSignature.h"
#include "Tilus/Runtime/DriverTypes.h"
#include "Tilus/Support/KernelArtifact.h"

#include <memory>

namespace tilus {

/// What a launch hands to the driver. It is filled in place again and again, and allocates only where a
/// kernel has more parameters than any before it. It must not move.
struct LaunchBlock {
  LaunchBlock() = default;
  LaunchBlock(const LaunchBlock &) = delete;
  LaunchBlock &operator=(const LaunchBlock &) = delete;

  /// A value for each parameter and each workspace, in the first bytes of 8, and their addresses.
  std::vector<uint64_t> slots;
  std::vector<void *> pointers;
  std::vector<int64_t> gridValues;
  cuda::LaunchAttribute cluster = {cuda::launchClusterDimension, {}};
  cuda::LaunchConfig config = {};
  /// The grid has no blocks.
  bool isEmpty = false;
};

class LaunchPlan {
public:
  /// Fails if the kernel's parameters are not those of the signature.
  static llvm::Expected<LaunchPlan> create(const CallSignature &signature,
                                           std::shared_ptr<const KernelArtifact> artifact);

  /// Fills the block for a call, apart from the stream and the workspaces. The values must have passed
  /// CallSignature::check. Fails, naming the parameter, where a value does not fit its type or is not a
  /// multiple of what the code relies on, and where the grid is out of bounds.
  llvm::Error prepare(llvm::ArrayRef<CallValue> args, LaunchBlock &block) const;
  /// The size in bytes of a workspace, from the grid values of a block that is prepared.
  llvm::Expected<uint64_t> computeWorkspace(unsigned index, const LaunchBlock &block) const;

  const KernelArtifact &getArtifact() const { return *artifact; }
  const std::shared_ptr<const KernelArtifact> &getSharedArtifact() const { return artifact; }

private:
  enum class Conversion : uint8_t { Bits, Integer, Float32, Float64, OtherFloat };
  struct Row {
    unsigned argument;
    Conversion conversion;
    /// The integers that the parameter holds, both ends included.
    int64_t least, most;
    /// Shifting left and back by it gives the value as the kernel reads it.
    unsigned shift;
    uint64_t divisibility;
  };

  explicit LaunchPlan(std::shared_ptr<const KernelArtifact> artifact) : artifact(std::move(artifact)) {}
  static Row makeRow(unsigned argument, const KernelParam &param);
  static uint64_t encodeFloat(Conversion conversion, const ScalarFormat &format, const CallValue &value);
  void resize(LaunchBlock &block) const;
  llvm::Error convert(unsigned index, const CallValue &value, LaunchBlock &block) const;
  llvm::Error prepareGrid(LaunchBlock &block) const;
  llvm::Error describe(unsigned index, const CallValue &value) const;

  std::shared_ptr<const KernelArtifact> artifact;
  std::vector<Row> rows;
};

} // namespace tilus
