// The inside of a dispatcher.
//
// A call: the thread's record (ThreadRecord) -> the target's table (DispatchTable) -> the slow path, in which
// one thread compiles (TargetTable::instances) and chooses (TargetTable::entries) for all -> the function on
// the device (DeviceFunction, loaded by ModuleCache) -> the thread's parameter block (LaunchPlan) -> the
// driver -> the record.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "TargetTable.h"
#include "Tilus/Runtime/Dispatcher.h"

namespace tilus {

class DispatcherState {
public:
  DispatcherState(CallSignature signature, DispatcherOptions options);
  ~DispatcherState();

  /// A call that the thread's record does not answer.
  llvm::Error callThroughTable(ThreadRecord &record, llvm::ArrayRef<CallValue> args, const CallSite &site,
                               const Target *target);
  /// Launches the function that the record names with what its block holds.
  llvm::Error launchLast(ThreadRecord &record, const CallSite &site);
  llvm::Expected<InstanceVariants *> getInstance(TargetTable &table, llvm::ArrayRef<CallValue> args,
                                                 llvm::ArrayRef<uint64_t> key);
  TargetTable &getTable(const Target &target);
  llvm::Expected<FoundKernel> find(llvm::ArrayRef<CallValue> args, const Target &target);
  std::vector<DispatchEntry> computeEntries(const Target &target);
  std::vector<TargetStats> computeStats();

  const CallSignature signature;
  const DispatcherOptions options;
  /// Whether hooks or the log want to hear of each launch.
  const bool isObserved;
  ThreadRegistry threads;

private:
  /// A call on its way to a kernel.
  struct Call {
    llvm::ArrayRef<CallValue> args;
    const CallSite &site;
    uint64_t hash;
    llvm::ArrayRef<uint64_t> key;
  };
  /// What a call has found.
  struct Launchable {
    const KernelVariant &kernel;
    DeviceFunction &function;
    ThreadTarget &counters;
  };

  llvm::Error launchInContext(ThreadRecord &record, const CallSite &site);
  /// Whether the stream is being captured; its context must be current.
  static bool isCapturing(const CudaDriver &driver, cuda::StreamHandle stream);
  llvm::Error checkCall(llvm::ArrayRef<CallValue> args, const CallSite &site, const Target *target) const;
  llvm::Error checkTarget(const Target &target, const Device &device) const;
  llvm::Error checkCold(const CallSite &site) const;
  llvm::Expected<std::unique_ptr<InstanceVariants>> makeInstance(TargetTable &table,
                                                                 llvm::ArrayRef<CallValue> args);
  bool isCompiled(TargetTable &table, const Call &call);
  llvm::Expected<KernelVariant *> choose(TargetTable &table, InstanceVariants &instance, const Call &call);
  llvm::Expected<KernelVariant *> resolve(TargetTable &table, const Call &call);
  llvm::Expected<DeviceFunction *> prepareCold(TargetTable &table, KernelVariant *&kernel, const Call &call);
  llvm::Error callInFull(ThreadRecord &record, ThreadTarget &counters, llvm::ArrayRef<CallValue> args,
                         const CallSite &site, uint64_t hash);
  llvm::Error launchNew(ThreadRecord &record, const Launchable &launchable, llvm::ArrayRef<CallValue> args,
                        const CallSite &site);
  /// Loads a function that is not loaded, or not any more.
  llvm::Error load(DeviceFunction &function, const CallSite &site);
  /// Gives the block workspaces for the stream, unless it has them.
  llvm::Error bindWorkspaces(LaunchBlock &block, const CallSite &site, bool isCaptured);
  /// Keeps a function that a capture has seen.
  void pin(DeviceFunction &function, cuda::StreamHandle stream);
  std::string describe(const LaunchInfo &info) const;

  std::shared_ptr<ModuleCache> modules;
  std::shared_ptr<WorkspacePool> workspaces;
  mutable ForkSafeMutex tablesMutex;
  /// In the order of their first use.
  std::vector<std::unique_ptr<TargetTable>> tables;
};

} // namespace tilus
