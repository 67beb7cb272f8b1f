// Places in shared memory for the allocations and the scratch of a kernel.
//
// Phases: number the ops; the life of each buffer from its accesses, widened to whole loops, to the wait for
// asynchronous copies and to the barrier after a thread group; first fit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Analysis/SharedMemoryPlan.h"
#include "Tilus/Analysis/SharedAccess.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilus;

namespace {
/// The positions of an op: where it begins, and where the last op in its regions ends.
struct Span {
  int64_t begin;
  int64_t end;
};

/// Computes the lives of buffers.
class Lifetimes {
public:
  explicit Lifetimes(KernelOp kernel);

  /// The life of an allocation with these handles.
  void extend(SharedBuffer &buffer, ArrayRef<Value> handles);
  /// The life of an op's scratch.
  void extend(SharedBuffer &buffer, Operation *user);

private:
  void number(Region &region);
  void add(SharedBuffer &buffer, Span span);
  void addAccess(SharedBuffer &buffer, Operation *access);
  /// Widens to the loops around the access that `home`, where the content comes from, is not in.
  void addLoops(SharedBuffer &buffer, Operation *access, Region *home);
  void addGroups(SharedBuffer &buffer, Operation *access);
  Operation *findWait(Operation *copy) const;

  KernelOp kernel;
  int64_t next = 0;
  DenseMap<Operation *, Span> spans;
};
} // namespace

Lifetimes::Lifetimes(KernelOp kernel) : kernel(kernel) { number(kernel.getBody()); }

void Lifetimes::number(Region &region) {
  for (Operation &op : region.getOps()) {
    int64_t begin = next++;
    for (Region &nested : op.getRegions())
      number(nested);
    spans[&op] = {begin, next++};
  }
}

void Lifetimes::add(SharedBuffer &buffer, Span span) {
  if (!buffer.isUsed())
    std::tie(buffer.begin, buffer.end) = std::pair(span.begin, span.end);
  buffer.begin = std::min(buffer.begin, span.begin);
  buffer.end = std::max(buffer.end, span.end);
}

void Lifetimes::addLoops(SharedBuffer &buffer, Operation *access, Region *home) {
  for (Operation *parent = access->getParentOp(); parent != home->getParentOp();
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      add(buffer, spans[parent]);
}

/// Whether a thread group leaves threads of its parent that go on behind it.
static bool leavesThreads(ThreadGroupOp group) { return int64_t(group.getThreads()) != getNumThreads(group); }

void Lifetimes::addGroups(SharedBuffer &buffer, Operation *access) {
  // Other threads may be anywhere between the start of a group and the next barrier of the threads around it.
  bool isConcurrent = false;
  for (Operation *op = access; !isa<KernelOp>(op); op = op->getParentOp()) {
    if (auto group = dyn_cast<ThreadGroupOp>(op))
      isConcurrent |= leavesThreads(group);
    if (!isConcurrent)
      continue;
    add(buffer, spans[op]);
    Operation *barrier = op->getNextNode();
    while (barrier && !isa<SyncOp>(barrier))
      barrier = barrier->getNextNode();
    if (barrier) {
      add(buffer, spans[barrier]);
      // Within a group, the barrier is one of that group alone.
      isConcurrent = false;
    }
  }
  if (isConcurrent)
    add(buffer, {spans[&kernel.getBody().front().back()].end, next});
}

/// The first op after the copy in its block, or in a block around it, that waits for all copies.
Operation *Lifetimes::findWait(Operation *copy) const {
  for (Operation *op = copy; !isa<KernelOp>(op); op = op->getParentOp())
    for (Operation *later = op->getNextNode(); later; later = later->getNextNode()) {
      auto group = dyn_cast<WaitGroupOp>(later);
      if (isa<WaitAllOp>(later) || (group && group.getPending() == 0))
        return later;
    }
  return nullptr;
}

void Lifetimes::addAccess(SharedBuffer &buffer, Operation *access) {
  add(buffer, spans[access]);
  addGroups(buffer, access);
  if (!isa<CopyAsyncOp>(access))
    return;
  Operation *wait = findWait(access);
  add(buffer, wait ? spans[wait] : Span{next, next});
}

void Lifetimes::extend(SharedBuffer &buffer, ArrayRef<Value> handles) {
  for (Value handle : handles) {
    // A handle that a loop carries keeps the content from one trip to the next.
    if (auto argument = dyn_cast<BlockArgument>(handle))
      if (Operation *owner = argument.getOwner()->getParentOp(); isa<LoopLikeOpInterface>(owner))
        add(buffer, spans[owner]);
    for (Operation *user : handle.getUsers()) {
      if (isSharedView(user) || isa<FreeSharedOp>(user))
        continue;
      addAccess(buffer, user);
      addLoops(buffer, user,
               buffer.op->getParentRegion()->isAncestor(user->getParentRegion())
                   ? buffer.op->getParentRegion()
                   : user->getParentRegion());
    }
  }
}

void Lifetimes::extend(SharedBuffer &buffer, Operation *user) { addAccess(buffer, user); }

//===----------------------------------------------------------------------===//
// Packing
//===----------------------------------------------------------------------===//

/// The alignment of an allocation: whole lines of the banks, and a whole period of the swizzle, so that the
/// pattern can be read off addresses too.
static int64_t getAlignment(SharedType type) {
  constexpr int64_t kLineBytes = 128;
  auto swizzle = type.getLayout() ? type.getLayout().getLayout().getSwizzle() : std::nullopt;
  if (!swizzle)
    return kLineBytes;
  return std::max<int64_t>(kLineBytes, swizzle->getPeriod() * getElementBits(type.getElementType()) / 8);
}

bool tilus::liveTogether(const SharedBuffer &a, const SharedBuffer &b) {
  return a.isUsed() && b.isUsed() && a.begin <= b.end && b.begin <= a.end;
}

/// The lowest place of the buffer beside those placed that live at the same time.
static int64_t findPlace(const SharedBuffer &buffer, ArrayRef<const SharedBuffer *> placed) {
  SmallVector<ByteRange> taken;
  for (const SharedBuffer *other : placed)
    if (liveTogether(*other, buffer))
      taken.push_back({other->offset, other->offset + other->bytes});
  llvm::sort(taken, [](const ByteRange &a, const ByteRange &b) { return a.begin < b.begin; });
  int64_t place = 0;
  for (const ByteRange &range : taken) {
    if (place + buffer.bytes <= range.begin)
      break;
    place = std::max<int64_t>(place, llvm::alignTo(range.end, buffer.alignment));
  }
  return place;
}

SharedMemoryPlan tilus::planSharedMemory(KernelOp kernel) {
  constexpr int64_t kScratchAlignment = 16;
  SharedMemoryPlan plan;
  SharedAliases aliases(kernel);
  Lifetimes lifetimes(kernel);
  kernel.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto allocation = dyn_cast<AllocSharedOp>(op)) {
      SharedType type = allocation.getResult().getType();
      SharedBuffer &buffer =
          plan.buffers.emplace_back(SharedBuffer{op, getSharedBytes(type), getAlignment(type)});
      buffer.isPinned = allocation.getOffset().has_value();
      buffer.offset = allocation.getOffset().value_or(0);
      lifetimes.extend(plan.buffers.back(), aliases.getHandles(allocation));
      return;
    }
    auto user = dyn_cast<ScratchOpInterface>(op);
    if (int64_t bytes = user ? user.getScratchBytes() : 0) {
      plan.buffers.push_back({op, bytes, kScratchAlignment});
      lifetimes.extend(plan.buffers.back(), op);
    }
  });

  SmallVector<SharedBuffer *> order;
  for (SharedBuffer &buffer : plan.buffers)
    if (buffer.isUsed())
      order.push_back(&buffer);
  llvm::sort(order, [](const SharedBuffer *a, const SharedBuffer *b) {
    return std::tuple(!a->isPinned, -a->bytes, a) < std::tuple(!b->isPinned, -b->bytes, b);
  });
  SmallVector<const SharedBuffer *> placed;
  for (SharedBuffer *buffer : order) {
    if (!buffer->isPinned)
      buffer->offset = findPlace(*buffer, placed);
    placed.push_back(buffer);
    plan.bytes = std::max(plan.bytes, buffer->offset + buffer->bytes);
  }
  return plan;
}
