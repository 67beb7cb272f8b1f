// Plans for combining the elements of a tile along one dimension, as reductions and scans do.
//
// Owns the split of the work into slots, lanes and scratch memory, as data that code generation and
// simulation both execute. Does not own the generation of code.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/RegisterLayout.h"

namespace tilus {

/// Whether the threads [begin, begin + count) of a block fill whole warps or an aligned part of one, so that
/// the bits of a thread's number in the group are those of its lane.
bool formsWarps(int64_t begin, int64_t count);

/// A digit of the thread id: `(thread / stride) % size`.
struct ThreadDigit {
  int64_t size;
  int64_t stride;
  /// What the digit adds to the thread's place in scratch.
  int64_t placeStride = 0;
};

/// Where threads leave what they share: one place for all threads that know the same. The place of a thread
/// is the sum of `digit * placeStride`.
struct ScratchPlaces {
  llvm::SmallVector<ThreadDigit, 4> digits;
  /// The digits that are zero in the one thread that writes to a place.
  llvm::SmallVector<ThreadDigit, 4> silent;
  /// The number of places.
  int64_t count = 1;

  int64_t getPlace(int64_t thread) const;
  bool isWriter(int64_t thread) const;
};

/// A reduction: each thread combines its slots, then the lanes of a warp combine by butterflies, then one
/// thread for each place leaves its values in scratch and all threads combine those of their partners.
struct ReducePlan {
  /// Whole bits of the lane number.
  llvm::SmallVector<ThreadDigit, 4> lanes;
  /// Whether the lanes to combine are all lanes of each warp.
  bool coversWarps = false;
  /// What the lanes did not reach; empty if nothing is left.
  llvm::SmallVector<ThreadDigit, 4> partners;
  ScratchPlaces places;
  /// Values that each thread has to combine: the slots of the result.
  int64_t numValues = 1;

  /// Values in scratch.
  int64_t getScratchSize() const { return partners.empty() ? 0 : places.count * numValues; }
};
ReducePlan planReduce(const RegisterLayout &layout, int64_t dim, bool hasWarps);

/// One step of a scan, along one digit of the dimension: each thread knows the totals of the blocks of
/// elements that the steps before made up, and combines the blocks of the digit to larger ones.
struct ScanStep {
  enum Kind {
    /// A digit of the slot.
    Slots,
    /// Whole bits of the lane number.
    Lanes,
    /// Threads that shuffles do not reach.
    Scratch,
  };
  Kind kind;
  /// The digit of the slot or of the thread.
  ThreadDigit digit;
  /// Totals that each thread knows before the step.
  int64_t numTotals;
  /// Scratch: where they are left, and the first value of this step in the scratch of the scan.
  ScratchPlaces places;
  int64_t scratchBegin = 0;
};

/// A scan: its steps from the innermost digit of the dimension to the outermost.
struct ScanPlan {
  llvm::SmallVector<ScanStep, 6> steps;
  /// Values in scratch.
  int64_t scratchSize = 0;
};
ScanPlan planScan(const RegisterLayout &layout, int64_t dim, bool hasWarps);

/// How the values of the threads that act for their replicas (see RegisterLayout::isRepresentative) reach
/// these.
struct ReplicaPlan {
  /// The digits of the replicas; empty if there are none.
  llvm::SmallVector<ThreadDigit, 4> replicas;
  /// Whether each replica is a lane of the warp of its representative; otherwise the values go through
  /// scratch.
  bool isInWarp = true;
  ScratchPlaces places;

  bool needsScratch() const { return !replicas.empty() && !isInWarp; }
};
ReplicaPlan planReplicas(const RegisterLayout &layout, bool hasWarps);

} // namespace tilus
