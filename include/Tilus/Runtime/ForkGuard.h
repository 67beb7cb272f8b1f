// What keeps the runtime whole in a process that is forked.
//
// Owns the count of forks and the mutexes that a fork must find free. A mutex of this kind is held for a few
// instructions, never while waiting, compiling or calling the driver; who holds one neither takes nor makes
// another one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
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

/// What threads wait for with such a mutex, under which all members are called. In the child of a fork nobody
/// waits any more; what the parent's threads waited with is left behind there, for to end it is to wait for
/// them.
class ForkSafeCondition {
public:
  ForkSafeCondition() : condition(std::make_unique<std::condition_variable_any>()) {}
  ~ForkSafeCondition() { leaveBehind(); }
  ForkSafeCondition(const ForkSafeCondition &) = delete;
  ForkSafeCondition &operator=(const ForkSafeCondition &) = delete;

  template <typename Predicate> void wait(std::unique_lock<ForkSafeMutex> &lock, Predicate predicate) {
    get().wait(lock, predicate);
  }
  void notifyAll() { get().notify_all(); }

private:
  bool leaveBehind() {
    bool isForeign = generation != getForkGeneration();
    if (isForeign)
      (void)condition.release();
    return isForeign;
  }
  std::condition_variable_any &get() {
    if (leaveBehind())
      condition = std::make_unique<std::condition_variable_any>();
    generation = getForkGeneration();
    return *condition;
  }

  unsigned generation = getForkGeneration();
  std::unique_ptr<std::condition_variable_any> condition;
};

} // namespace tilus
