// Accesses to shared memory that no barrier has ordered yet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Analysis/RingSlot.h"
#include "Tilus/Analysis/SharedAliases.h"

namespace tilus {

/// An access of one op to a range of shared memory.
struct SharedAccessRecord {
  enum Kind { Read, Write, ReadWrite, Atomic };

  mlir::Operation *op;
  Kind kind;
  ByteRange range;
  /// Age of an asynchronous write that has not been waited for, in groups closed since: 0 for the group that
  /// is open. -1 for what has been done when the op has.
  int64_t age = kDone;
  /// The slot of a ring that the range's bytes lie in, if it is known.
  std::optional<RingSlot> slot = std::nullopt;

  static constexpr int64_t kDone = -1;

  bool isPendingCopy() const { return age != kDone; }
  /// Whether both may touch one byte, for one value of the slots' base.
  bool overlaps(const SharedAccessRecord &other) const {
    return range.overlaps(other.range) && !(slot && other.slot && slot->isApartFrom(*other.slot));
  }
  bool operator==(const SharedAccessRecord &other) const {
    return op == other.op && kind == other.kind && range == other.range && age == other.age &&
           slot == other.slot;
  }
};

/// What has been accessed since the last barrier. A set with union as its join.
class SharedAccessState {
public:
  /// The first access that must be ordered before `access` by a barrier; null if there is none. A copy that
  /// has not been waited for is none: no barrier orders it.
  const SharedAccessRecord *findHazard(const SharedAccessRecord &access) const;
  void add(const SharedAccessRecord &access);
  /// Adds the other state's accesses; returns whether any was new.
  bool join(const SharedAccessState &other);
  /// A barrier of the threads that the state is about.
  void synchronize();
  /// The open group of copies is closed.
  void commitGroup();
  /// All copies but those of the newest `pending` closed groups have arrived.
  void waitGroup(int64_t pending);
  /// All copies have arrived.
  void waitAll();
  /// The loop begins its first trip.
  void enterLoop(mlir::LoopLikeOpInterface loop);
  /// The loop begins its next trip: what it computes anew has another value from here on.
  void beginTrip(mlir::LoopLikeOpInterface loop);
  /// The loop ends: what it has computed has no name any more.
  void leaveLoop(mlir::LoopLikeOpInterface loop);

private:
  void arrive(llvm::function_ref<bool(int64_t age)> hasArrived);
  void changeAll(llvm::function_ref<void(SharedAccessRecord &)> change);

  llvm::SmallVector<SharedAccessRecord> records;
};

/// The accesses of ops to shared memory, at the places that the plan gave; allocations and scratch without a
/// place are taken to be apart from all others.
class SharedAccesses {
public:
  explicit SharedAccesses(KernelOp kernel);

  /// The accesses of the op itself, without those of its regions.
  llvm::SmallVector<SharedAccessRecord, 2> get(mlir::Operation *op) const;

private:
  void addHandle(mlir::Operation *op, mlir::Value handle, SharedAccessRecord::Kind kind,
                 llvm::SmallVectorImpl<SharedAccessRecord> &accesses) const;

  SharedAliases aliases;
  ScalarAnalysis scalars;
  /// Where each allocation or op with scratch begins.
  llvm::DenseMap<mlir::Operation *, int64_t> places;
};

} // namespace tilus
