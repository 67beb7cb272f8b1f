// Asynchronous copies that an agent has issued and not yet waited for.
//
// Owns the moment at which copied elements arrive in shared memory: the wait, never before.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "RuntimeValue.h"
#include "mlir/IR/Operation.h"

#include <deque>

namespace tilus::reference {

class RaceDetector;

/// A copy under way: what was read when it was issued, and where it goes.
struct AsyncCopy {
  mlir::Operation *op = nullptr;
  SharedTile dest;
  std::shared_ptr<const Tile> data;
  /// Number for the race detector.
  uint32_t event = 0;
};

class AsyncCopies {
public:
  void add(AsyncCopy copy) { open.push_back(std::move(copy)); }
  /// Closes the group of the copies since the last one.
  void commit();
  /// Lets groups arrive, oldest first, until at most `pending` are under way.
  void wait(size_t pending, RaceDetector *races);
  /// Drops what has not arrived.
  void drop();
  /// Takes over what another agent on some of the threads has issued.
  void append(AsyncCopies other);
  /// The oldest copy that has not arrived; null if there is none.
  const AsyncCopy *getOldest() const;

private:
  std::deque<std::vector<AsyncCopy>> groups;
  std::vector<AsyncCopy> open;
};

} // namespace tilus::reference
