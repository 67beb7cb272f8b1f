// Finds accesses to shared memory whose order no barrier decides.
//
// Threads are taken together in units: warps, cut where a thread group begins or ends. Each unit has a vector
// clock; a barrier joins the clocks of its units. Which threads of a group access an element depends on
// layouts, so two accesses are in order only if a barrier lies between them, unless one thread makes both.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "SharedMemory.h"
#include "Tilus/IR/TilusOps.h"

#include <map>

namespace tilus::reference {

struct ThreadRange;

/// One component for each unit.
using VectorClock = std::vector<uint32_t>;

/// The name of an element for messages.
using ElementName = llvm::function_ref<std::string()>;

enum class AccessKind { Read, Write, Atomic, Copy };

class RaceDetector {
public:
  /// The first threads of the units of a kernel, then the number of its threads.
  static std::vector<int64_t> getUnits(KernelOp kernel);

  explicit RaceDetector(llvm::ArrayRef<int64_t> units);

  /// Checks an access by all threads of the range to all elements of the tile, and records it.
  mlir::LogicalResult access(mlir::Operation *op, const ThreadRange &threads, AccessKind kind,
                             const SharedTile &tile);
  /// The same for one element; `event` is the number of the access, from `begin`.
  mlir::LogicalResult accessElement(uint32_t event, SharedBuffer &buffer, int64_t place, ElementName index);
  /// Starts an access to single elements.
  uint32_t begin(mlir::Operation *op, const ThreadRange &threads, AccessKind kind);
  /// The number of the last access that was begun.
  uint32_t getLastEvent() const { return events.size() - 1; }

  /// The copy arrives for the threads that issued it.
  void land(uint32_t copy);
  /// Emits an error at `op` if a copy into the buffer is still under way.
  mlir::LogicalResult checkNoCopies(mlir::Operation *op, const SharedBuffer &buffer) const;

  /// A barrier of the threads.
  void synchronize(const ThreadRange &threads);
  /// A barrier of the threads after which one of them gives the word at `place` a value, and the other side.
  void release(const ThreadRange &threads, std::pair<unsigned, int64_t> place);
  void acquire(const ThreadRange &threads, std::pair<unsigned, int64_t> place);

private:
  struct Event {
    mlir::Operation *op = nullptr;
    AccessKind kind = AccessKind::Read;
    /// Units `[first, last)`, and each one's own time at the access.
    unsigned first = 0, last = 0;
    llvm::SmallVector<uint32_t, 4> times;
    bool hasLanded = true;
  };

  std::pair<unsigned, unsigned> getUnitRange(const ThreadRange &threads) const;
  VectorClock join(const ThreadRange &threads);
  bool isOrdered(uint32_t earlier, uint32_t later);
  bool conflicts(uint32_t earlier, uint32_t later);
  mlir::LogicalResult report(uint32_t later, uint32_t earlier, ElementName index);

  /// First threads of the units, and the end.
  std::vector<int64_t> units;
  std::vector<VectorClock> clocks;
  /// Event 0 is none.
  std::vector<Event> events;
  std::map<std::pair<unsigned, int64_t>, VectorClock> released;

  /// Recent answers of isOrdered, by the earlier event.
  struct Answer {
    uint32_t earlier = 0, later = 0;
    bool isOrdered = true;
  };
  std::array<Answer, 16> answers;
};

} // namespace tilus::reference
