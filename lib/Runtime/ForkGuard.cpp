// The registry of mutexes that a fork waits for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ForkGuard.h"

#include <pthread.h>

namespace tilus {

std::atomic<unsigned> detail::forkGeneration{0};

/// A fork concerns the process, so this is one of the few things that a process has once. It is never
/// destroyed, since a fork may come at any time.
struct ForkRegistry {
  std::mutex mutex;
  ForkSafeMutex *first = nullptr;

  ForkRegistry() { pthread_atfork(prepare, releaseInParent, releaseInChild); }

  static ForkRegistry &get() {
    static ForkRegistry *registry = new ForkRegistry;
    return *registry;
  }
  void add(ForkSafeMutex &guard) {
    std::lock_guard lock(mutex);
    guard.next = first;
    if (first)
      first->previous = &guard;
    first = &guard;
  }
  void remove(ForkSafeMutex &guard) {
    std::lock_guard lock(mutex);
    (guard.previous ? guard.previous->next : first) = guard.next;
    if (guard.next)
      guard.next->previous = guard.previous;
  }
  static void prepare() {
    get().mutex.lock();
    for (ForkSafeMutex *guard = get().first; guard; guard = guard->next)
      guard->lock();
  }
  static void release() {
    for (ForkSafeMutex *guard = get().first; guard; guard = guard->next)
      guard->unlock();
    get().mutex.unlock();
  }
  static void releaseInParent() { release(); }
  static void releaseInChild() {
    detail::forkGeneration.fetch_add(1, std::memory_order_relaxed);
    release();
  }
};

ForkSafeMutex::ForkSafeMutex() { ForkRegistry::get().add(*this); }

ForkSafeMutex::~ForkSafeMutex() { ForkRegistry::get().remove(*this); }

} // namespace tilus
