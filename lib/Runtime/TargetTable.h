// Everything that a dispatcher holds for one target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "DispatchTable.h"
#include "ThreadRecord.h"
#include "Tilus/Runtime/OnceMap.h"

namespace tilus {

/// One candidate of an instance: how its parameters are filled, and its loaded functions.
class KernelVariant {
public:
  KernelVariant(LaunchPlan plan, ThreadRegistry &threads) : plan(std::move(plan)), threads(threads) {}
  ~KernelVariant();

  const LaunchPlan plan;

  /// The kernel on a device; null if it was never asked for there. Takes no lock.
  DeviceFunction *find(const Device &device) const;
  /// The same, made if it is missing.
  DeviceFunction &get(const Device &device);
  /// The functions on all devices, the first of a list.
  DeviceFunction *getFunctions() const { return functions.load(std::memory_order_acquire); }

private:
  ThreadRegistry &threads;
  std::atomic<DeviceFunction *> functions{nullptr};
};

/// An instance with what launches it.
struct InstanceVariants {
  JitInstance instance;
  std::vector<std::unique_ptr<KernelVariant>> variants;
};

/// The choice for a whole key.
struct TableEntry {
  KernelVariant *kernel;
};

class TargetTable {
public:
  explicit TargetTable(const Target &target) : target(target) {}

  /// Takes over the counters of a thread that has ended.
  void absorb(const ThreadTarget &ended);
  /// Stores a kernel where readers find it.
  void insert(uint64_t hash, llvm::ArrayRef<uint64_t> key, KernelVariant &kernel);
  /// Calls `visitor` for each key and its kernel, in the order in which they came. It must not insert.
  void visit(llvm::function_ref<void(llvm::ArrayRef<uint64_t> key, KernelVariant &kernel)> visitor);

  const Target &target;
  DispatchTable table;
  OnceMap<InstanceVariants> instances;
  OnceMap<TableEntry> entries;
  std::atomic<uint64_t> compileNanoseconds{0}, cacheHits{0}, cacheMisses{0};
  /// The calls of threads that have ended.
  std::atomic<uint64_t> shortcutHits{0}, tableHits{0}, slowCalls{0};

private:
  ForkSafeMutex insertion;
};

} // namespace tilus
