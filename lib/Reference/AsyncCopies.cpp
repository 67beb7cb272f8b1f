// Asynchronous copies under way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AsyncCopies.h"

#include "RaceDetector.h"

using namespace tilus;
using namespace tilus::reference;

void AsyncCopies::commit() {
  groups.push_back(std::move(open));
  open.clear();
}

void AsyncCopies::wait(size_t pending, RaceDetector *races) {
  for (; groups.size() > pending; groups.pop_front()) {
    for (const AsyncCopy &copy : groups.front()) {
      SharedMemory::store(copy.dest, *copy.data);
      if (races)
        races->land(copy.event);
    }
  }
}

void AsyncCopies::drop() {
  groups.clear();
  open.clear();
}

void AsyncCopies::append(AsyncCopies other) {
  std::move(other.groups.begin(), other.groups.end(), std::back_inserter(groups));
  std::move(other.open.begin(), other.open.end(), std::back_inserter(open));
}

const AsyncCopy *AsyncCopies::getOldest() const {
  for (const std::vector<AsyncCopy> &group : groups)
    if (!group.empty())
      return &group.front();
  return open.empty() ? nullptr : &open.front();
}
