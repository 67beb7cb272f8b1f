// Finds accesses to shared memory whose order no barrier decides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RaceDetector.h"

#include "Agent.h"

using namespace mlir;
using namespace tilus;
using namespace tilus::reference;

std::vector<int64_t> RaceDetector::getUnits(KernelOp kernel) {
  std::vector<int64_t> cuts;
  for (int64_t thread = 0; thread <= kernel.getNumThreads(); thread += 32)
    cuts.push_back(thread);
  kernel.walk([&](ThreadGroupOp group) {
    int64_t begin = 0;
    for (Operation *op = group; op; op = op->getParentOp())
      if (auto outer = dyn_cast<ThreadGroupOp>(op))
        begin += outer.getBegin().value_or(0);
    cuts.push_back(begin);
    cuts.push_back(begin + group.getThreads());
  });
  llvm::sort(cuts);
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

RaceDetector::RaceDetector(ArrayRef<int64_t> units)
    : units(units), clocks(units.size() - 1, VectorClock(units.size() - 1, 1)), events(1) {
  // At the start no unit has seen another.
  for (auto [unit, clock] : llvm::enumerate(clocks)) {
    std::fill(clock.begin(), clock.end(), 0);
    clock[unit] = 1;
  }
}

std::pair<unsigned, unsigned> RaceDetector::getUnitRange(const ThreadRange &threads) const {
  auto find = [&](int64_t thread) { return unsigned(llvm::lower_bound(units, thread) - units.begin()); };
  return {find(threads.begin), find(threads.begin + threads.threads)};
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

VectorClock RaceDetector::join(const ThreadRange &threads) {
  auto [first, last] = getUnitRange(threads);
  VectorClock joined = clocks[first];
  for (unsigned unit = first; unit < last; ++unit)
    for (auto [mine, other] : llvm::zip(joined, clocks[unit]))
      mine = std::max(mine, other);
  for (unsigned unit = first; unit < last; ++unit) {
    clocks[unit] = joined;
    ++clocks[unit][unit];
  }
  return joined;
}

void RaceDetector::synchronize(const ThreadRange &threads) { join(threads); }

void RaceDetector::release(const ThreadRange &threads, std::pair<unsigned, int64_t> place) {
  released[place] = join(threads);
}

void RaceDetector::acquire(const ThreadRange &threads, std::pair<unsigned, int64_t> place) {
  auto it = released.find(place);
  if (it == released.end())
    return;
  auto [first, last] = getUnitRange(threads);
  for (unsigned unit = first; unit < last; ++unit)
    for (auto [mine, other] : llvm::zip(clocks[unit], it->second))
      mine = std::max(mine, other);
}

bool RaceDetector::isOrdered(uint32_t earlier, uint32_t later) {
  Answer &answer = answers[earlier % answers.size()];
  if (answer.earlier == earlier && answer.later == later)
    return answer.isOrdered;
  const Event &before = events[earlier], &after = events[later];
  answer = {earlier, later, true};
  for (unsigned from = before.first; from < before.last; ++from) {
    uint32_t time = before.times[from - before.first];
    for (unsigned to = after.first; to < after.last; ++to) {
      // Threads of one unit are ordered by a barrier only, but a single thread is in order with itself.
      bool isOneUnit = from == to && units[from + 1] - units[from] > 1;
      answer.isOrdered &= isOneUnit ? clocks[to][from] > time : clocks[to][from] >= time;
    }
  }
  return answer.isOrdered;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

uint32_t RaceDetector::begin(Operation *op, const ThreadRange &threads, AccessKind kind) {
  auto [first, last] = getUnitRange(threads);
  Event event{op, kind, first, last, {}, kind != AccessKind::Copy};
  for (unsigned unit = first; unit < last; ++unit)
    event.times.push_back(clocks[unit][unit]);
  events.push_back(std::move(event));
  return getLastEvent();
}

void RaceDetector::land(uint32_t copy) {
  Event &event = events[copy];
  event.hasLanded = true;
  for (unsigned unit = event.first; unit < event.last; ++unit)
    event.times[unit - event.first] = clocks[unit][unit];
  answers.fill({});
}

bool RaceDetector::conflicts(uint32_t earlier, uint32_t later) {
  if (earlier == 0 || earlier == later)
    return false;
  const Event &before = events[earlier], &after = events[later];
  if (!before.hasLanded)
    return true;
  bool areAtomic = before.kind == AccessKind::Atomic && after.kind == AccessKind::Atomic;
  return !areAtomic && !isOrdered(earlier, later);
}

static StringRef describe(AccessKind kind) {
  switch (kind) {
  case AccessKind::Read:
    return "read";
  case AccessKind::Write:
    return "written";
  case AccessKind::Atomic:
    return "updated";
  case AccessKind::Copy:
    return "copied to";
  }
  return "accessed";
}

LogicalResult RaceDetector::report(uint32_t later, uint32_t earlier, ElementName index) {
  const Event &before = events[earlier], &after = events[later];
  InFlightDiagnostic error = after.op->emitOpError();
  if (!before.hasLanded)
    error << "expected a wait for the copy to element " << index() << " before it is " << describe(after.kind)
          << ", but got none";
  else
    error << "expected a barrier before element " << index() << " is " << describe(after.kind)
          << ", which other threads have " << describe(before.kind) << ", but got none";
  error.attachNote(before.op->getLoc()) << "the element is " << describe(before.kind) << " here";
  return error;
}

LogicalResult RaceDetector::accessElement(uint32_t event, SharedBuffer &buffer, int64_t place,
                                          ElementName index) {
  SharedCell &cell = buffer.cells[place];
  AccessKind kind = events[event].kind;
  if (conflicts(cell.write, event))
    return report(event, cell.write, index);
  bool reads = kind == AccessKind::Read || kind == AccessKind::Atomic;
  if (reads && !cell.isInitialized) {
    InFlightDiagnostic error =
        events[event].op->emitOpError("expected shared memory that was written, but got element ")
        << index() << " that never was";
    error.attachNote(buffer.alloc->getLoc()) << "the tile is allocated here";
    return error;
  }
  if (kind == AccessKind::Read) {
    llvm::erase_if(cell.reads, [&](uint32_t read) { return read == event || isOrdered(read, event); });
    cell.reads.push_back(event);
    return success();
  }
  for (uint32_t read : cell.reads)
    if (conflicts(read, event))
      return report(event, read, index);
  cell.reads.clear();
  cell.write = event;
  cell.isInitialized = true;
  return success();
}

LogicalResult RaceDetector::access(Operation *op, const ThreadRange &threads, AccessKind kind,
                                   const SharedTile &tile) {
  uint32_t event = begin(op, threads, kind);
  for (int64_t i = 0, count = countElements(tile.shape); i < count; ++i)
    if (failed(
            accessElement(event, *tile.buffer, tile.getPlace(i), [&] { return formatIndex(tile.shape, i); })))
      return failure();
  return success();
}

LogicalResult RaceDetector::checkNoCopies(Operation *op, const SharedBuffer &buffer) const {
  for (const SharedCell &cell : buffer.cells) {
    const Event &event = events[cell.write];
    if (event.hasLanded)
      continue;
    InFlightDiagnostic error =
        op->emitOpError("expected a wait for the copy into the tile before it is freed, but got none");
    error.attachNote(event.op->getLoc()) << "the copy is issued here";
    return error;
  }
  return success();
}
