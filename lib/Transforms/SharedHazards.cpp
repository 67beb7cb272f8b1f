// Accesses to shared memory that no barrier has ordered yet.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "SharedHazards.h"

using namespace mlir;
using namespace tilus;

/// Groups beyond this age are not told apart.
constexpr int64_t kOldestAge = 32;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static bool areOrdered(SharedAccessRecord::Kind first, SharedAccessRecord::Kind second) {
  bool areReads = first == SharedAccessRecord::Read && second == SharedAccessRecord::Read;
  bool areAtomics = first == SharedAccessRecord::Atomic && second == SharedAccessRecord::Atomic;
  return areReads || areAtomics;
}

const SharedAccessRecord *SharedAccessState::findHazard(const SharedAccessRecord &access) const {
  const auto *hazard = llvm::find_if(records, [&](const SharedAccessRecord &earlier) {
    return !earlier.isPendingCopy() && earlier.overlaps(access) && !areOrdered(earlier.kind, access.kind);
  });
  return hazard == records.end() ? nullptr : hazard;
}

void SharedAccessState::add(const SharedAccessRecord &access) {
  if (!llvm::is_contained(records, access))
    records.push_back(access);
}

bool SharedAccessState::join(const SharedAccessState &other) {
  size_t before = records.size();
  for (const SharedAccessRecord &access : other.records)
    add(access);
  return records.size() != before;
}

void SharedAccessState::synchronize() {
  llvm::erase_if(records, [](const SharedAccessRecord &access) { return !access.isPendingCopy(); });
}

void SharedAccessState::changeAll(function_ref<void(SharedAccessRecord &)> change) {
  SmallVector<SharedAccessRecord> before;
  before.swap(records);
  for (SharedAccessRecord access : before) {
    change(access);
    add(access);
  }
}

void SharedAccessState::commitGroup() {
  changeAll([](SharedAccessRecord &access) {
    if (access.isPendingCopy())
      access.age = std::min(access.age + 1, kOldestAge);
  });
}

void SharedAccessState::arrive(function_ref<bool(int64_t)> hasArrived) {
  changeAll([&](SharedAccessRecord &access) {
    if (access.isPendingCopy() && hasArrived(access.age))
      access.age = SharedAccessRecord::kDone;
  });
}

void SharedAccessState::enterLoop(LoopLikeOpInterface loop) {
  changeAll([&](SharedAccessRecord &access) {
    if (access.slot)
      access.slot = access.slot->enter(loop);
  });
}

void SharedAccessState::beginTrip(LoopLikeOpInterface loop) {
  changeAll([&](SharedAccessRecord &access) {
    if (access.slot)
      access.slot = access.slot->advance(loop);
  });
}

void SharedAccessState::leaveLoop(LoopLikeOpInterface loop) {
  changeAll([&](SharedAccessRecord &access) {
    if (access.slot)
      access.slot = access.slot->leave(loop);
  });
}

void SharedAccessState::waitGroup(int64_t pending) {
  // The newest closed group has age 1. The oldest may have arrived or not if that many may be pending.
  if (pending >= kOldestAge) {
    SharedAccessState arrived = *this;
    arrived.waitAll();
    join(arrived);
    return;
  }
  arrive([&](int64_t age) { return age > pending; });
}

void SharedAccessState::waitAll() {
  arrive([](int64_t) { return true; });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

SharedAccesses::SharedAccesses(KernelOp kernel) : aliases(kernel), scalars(kernel) {
  int64_t apart = int64_t(1) << 40;
  kernel.getBody().walk([&](Operation *op) {
    std::optional<int64_t> place;
    if (auto allocation = dyn_cast<AllocSharedOp>(op)) {
      if (allocation.getOffset())
        place = *allocation.getOffset();
    } else if (auto offset = op->getAttrOfType<IntegerAttr>(TilusDialect::kScratchOffsetAttrName)) {
      place = offset.getInt();
    } else if (!isa<ScratchOpInterface>(op)) {
      return;
    }
    places[op] = place.value_or(apart);
    apart += int64_t(1) << 40;
  });
}

void SharedAccesses::addHandle(Operation *op, Value handle, SharedAccessRecord::Kind kind,
                               SmallVectorImpl<SharedAccessRecord> &accesses) const {
  ByteRange range = getByteRange(handle);
  std::optional<RingSlot> slot = getRingSlot(handle, scalars);
  for (AllocSharedOp allocation : aliases.getAllocations(handle)) {
    int64_t bytes = getSharedBytes(allocation.getResult().getType()), begin = places.lookup(allocation);
    ByteRange own = {begin + std::min(range.begin, bytes), begin + std::min(range.end, bytes)};
    accesses.push_back({op, kind, own, SharedAccessRecord::kDone, slot});
  }
}

SmallVector<SharedAccessRecord, 2> SharedAccesses::get(Operation *op) const {
  SmallVector<SharedAccessRecord, 2> accesses;
  for (Value operand : op->getOperands()) {
    if (!isa<SharedType>(operand.getType()))
      continue;
    if (isa<LoadSharedOp>(op))
      addHandle(op, operand, SharedAccessRecord::Read, accesses);
    else if (isa<StoreSharedOp, StoreScatterOp>(op))
      addHandle(op, operand, SharedAccessRecord::Write, accesses);
    else if (isa<AtomicOp, AtomicScatterOp>(op))
      addHandle(op, operand, SharedAccessRecord::Atomic, accesses);
    else if (isa<CopyAsyncOp>(op)) {
      addHandle(op, operand, SharedAccessRecord::Write, accesses);
      for (SharedAccessRecord &access : accesses)
        access.age = 0;
    }
  }
  auto user = dyn_cast<ScratchOpInterface>(op);
  if (int64_t bytes = user ? user.getScratchBytes() : 0) {
    int64_t begin = places.lookup(op);
    accesses.push_back({op, SharedAccessRecord::ReadWrite, {begin, begin + bytes}});
  }
  return accesses;
}
