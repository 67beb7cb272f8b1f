// How the values of a call become the parameters of one kernel, worked out once a kernel.
//
// Owns: conversion and checking of values, the grid, and the block of parameters that a launch reads. It
// calls the driver for tensor maps alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CallSignature.h"
#include "Tilus/Runtime/DriverTypes.h"
#include "Tilus/Runtime/TensorMapCache.h"
#include "Tilus/Support/KernelArtifact.h"

#include <memory>

namespace tilus {

class LaunchPlan;

/// What a launch hands to the driver. It is filled in place again and again, and allocates only where a
/// kernel has more parameters than any before it. It must not move.
struct LaunchBlock {
  LaunchBlock() = default;
  LaunchBlock(const LaunchBlock &) = delete;
  LaunchBlock &operator=(const LaunchBlock &) = delete;

  /// Whose shape the block has.
  const LaunchPlan *plan = nullptr;
  /// A value for each parameter and each workspace, in the first bytes of 8, and their addresses, behind
  /// which are those of the descriptors of tensor maps.
  std::vector<uint64_t> slots;
  std::vector<void *> pointers;
  std::vector<TensorMapCache> tensorMaps;
  std::vector<int64_t> gridValues;
  cuda::LaunchAttribute cluster = {cuda::launchClusterDimension, {}};
  cuda::LaunchConfig config = {};
  /// The grid has no blocks.
  bool isEmpty = false;
  /// The kernel has workspaces; the addresses are there, for that stream.
  bool hasWorkspaces = false;
  bool areWorkspacesBound = false;
  cuda::StreamHandle workspaceStream = nullptr;
};

class LaunchPlan {
public:
  /// Fails if the kernel's parameters are not those of the signature.
  static llvm::Expected<LaunchPlan> create(const CallSignature &signature,
                                           std::shared_ptr<const KernelArtifact> artifact);

  /// Fills the block for a call on device number `device`, apart from the stream and the workspaces. There
  /// must be as many values as parameters of the signature. Fails, naming the parameter, where a value is not
  /// what CallSignature::check and checkDevice ask for, does not fit its type or is not a multiple of what
  /// the code relies on, and where the grid is out of bounds.
  llvm::Error prepare(llvm::ArrayRef<CallValue> args, unsigned device, LaunchBlock &block) const;
  /// Makes the descriptors of the kernel's tensor maps for a block that is prepared and not empty; with a
  /// context current.
  llvm::Error encodeTensorMaps(const CudaDriver &driver, LaunchBlock &block) const;
  /// The size in bytes of a workspace, from the grid values of a block that is prepared.
  llvm::Expected<uint64_t> computeWorkspace(unsigned index, const LaunchBlock &block) const;

  /// Sets the address of a workspace.
  void bindWorkspace(unsigned index, uint64_t address, LaunchBlock &block) const {
    block.slots[rows.size() + index] = address;
  }

  bool hasTensorMaps() const { return !artifact->tensorMaps.empty(); }
  const KernelArtifact &getArtifact() const { return *artifact; }
  const std::shared_ptr<const KernelArtifact> &getSharedArtifact() const { return artifact; }

private:
  enum class Conversion : uint8_t { Pointer, Integer, Float32, Float64, OtherFloat };
  struct Row {
    unsigned argument;
    Conversion conversion;
    /// Shifting left and back by it gives an integer as the kernel reads it.
    uint8_t shift;
    /// A bit for each ValueTag that is taken.
    uint8_t tags;
    /// The integers that the parameter holds, both ends included.
    int64_t least, most;
    /// The code relies on these bits being 0, or on the value being a multiple of a number that is no power
    /// of two; 0 for neither.
    uint64_t zeroBits, oddDivisor;
  };

  LaunchPlan(const CallSignature &signature, std::shared_ptr<const KernelArtifact> artifact);
  static Row makeRow(unsigned argument, const KernelParam &param);
  void adapt(LaunchBlock &block) const;
  bool convert(const Row &row, const CallValue &value, unsigned device, uint64_t &slot,
               int64_t &gridValue) const;
  llvm::Error describe(unsigned index, llvm::ArrayRef<CallValue> args, unsigned device) const;

  /// Has the lifetime of the dispatcher that both belong to.
  const CallSignature *signature;
  std::shared_ptr<const KernelArtifact> artifact;
  std::vector<Row> rows;
  /// The axes of the grid that do not depend on the arguments, and those that do.
  unsigned constantGrid[3] = {0, 0, 0};
  llvm::SmallVector<unsigned, 3> dynamicAxes;
};

} // namespace tilus
