// What keeps the runtime whole in a process that is forked.
//
// Owns the count of forks and the mutexes that a fork must find free. A mutex of this kind is held for a few
// instructions, never while waiting, compiling or calling the driver; who holds one neither takes nor makes
// another one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <mutex>

namespace tilus {

namespace detail {
/// A launch looks at it, so it is a plain variable. Counts once there is a ForkSafeMutex.
extern std::atomic<unsigned> forkGeneration;
} // namespace detail

/// How often this process and its ancestors were forked since the runtime was first used. What was made under
/// another number belongs to the parent.
inline unsigned getForkGeneration() { return detail::forkGeneration.load(std::memory_order_relaxed); }

/// A mutex that is free in the child of a fork, with what it guards in one piece: a fork waits for it. To be
/// used with std::lock_guard and std::unique_lock.
class ForkSafeMutex {
public:
  ForkSafeMutex();
  ~ForkSafeMutex();
  ForkSafeMutex(const ForkSafeMutex &) = delete;
  ForkSafeMutex &operator=(const ForkSafeMutex &) = delete;

  void lock() { mutex.lock(); }
  void unlock() { mutex.unlock(); }

private:
  friend struct ForkRegistry;
  std::mutex mutex;
  ForkSafeMutex *previous = nullptr;
  ForkSafeMutex *next = nullptr;
};

} // namespace tilus
