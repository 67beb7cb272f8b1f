// What each thread keeps for itself about one dispatcher: its last launch, its counters, and whether it is in
// the middle of a launch.
//
// A record is written by its thread alone, so that no other thread can tear or evict it. Others read the
// atomic parts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DeviceFunction.h"
#include "LaunchPlan.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/ForkGuard.h"

#include <cstring>
#include <deque>

namespace tilus {

class TargetTable;

/// A counter that one thread increments and others read.
class ThreadCounter {
public:
  void increment() { value.store(get() + 1, std::memory_order_relaxed); }
  uint64_t get() const { return value.load(std::memory_order_relaxed); }

private:
  std::atomic<uint64_t> value{0};
};

/// The calls of a thread under a target.
struct ThreadTarget {
  ThreadTarget(const Target &target, TargetTable &table) : target(&target), table(&table) {}

  const Target *target;
  TargetTable *table;
  ThreadCounter shortcutHits, tableHits, slowCalls;
};

/// The last launch of a thread: everything that a call with the same target, device and arguments needs.
/// `device` is null while there is none.
struct LastLaunch {
  bool matches(const Target *callTarget, const CallSite &site, llvm::ArrayRef<CallValue> callArgs) const {
    return device == site.device && target == callTarget && args.size() == callArgs.size() &&
           std::memcmp(args.data(), callArgs.data(), args.size() * sizeof(CallValue)) == 0;
  }

  const Device *device = nullptr;
  const Target *target = nullptr;
  std::vector<CallValue> args;
  DeviceFunction *function = nullptr;
  ThreadTarget *counters = nullptr;
  LaunchBlock block;
};

struct ThreadRecord {
  /// The function that the thread is launching; null outside of a launch. What it names is not unloaded.
  std::atomic<const DeviceFunction *> inFlight{nullptr};
  LastLaunch last;
  /// Room for the key of a call.
  std::vector<uint64_t> key;
  /// The targets that the thread has called under. The thread adds to it under the registry's mutex.
  std::deque<ThreadTarget> targets;
  /// Set at the end of the thread and of the dispatcher.
  std::atomic<bool> hasThreadEnded{false}, hasDispatcherEnded{false};
};

/// The records of all threads for one dispatcher.
class ThreadRegistry {
public:
  /// For calls with `argCount` arguments and keys of `keyWords` words.
  ThreadRegistry(unsigned argCount, unsigned keyWords);
  ~ThreadRegistry();

  /// The record of the calling thread.
  ThreadRecord &get();
  /// The thread's counters for a target, or null if it has none.
  static ThreadTarget *find(ThreadRecord &record, const Target &target);
  /// Adds counters.
  ThreadTarget &add(ThreadRecord &record, const Target &target, TargetTable &table);
  /// Whether a thread is launching the function.
  bool isInFlight(const DeviceFunction &function);
  /// Calls `visitor` for all counters of the threads that have not ended, after `visitTables`, in which those
  /// of the others are in the tables: no call is missed, and none counted twice.
  void visit(llvm::function_ref<void()> visitTables, llvm::function_ref<void(const ThreadTarget &)> visitor);

private:
  ThreadRecord &lookup();

  const uint64_t id;
  unsigned argCount, keyWords;
  ForkSafeMutex mutex;
  std::vector<std::shared_ptr<ThreadRecord>> records;
};

} // namespace tilus
