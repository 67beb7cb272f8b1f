// The dispatcher of a kernel family: from a call to the launch of the code compiled for its target.
//
// Owns: one dispatch table a target, the instances compiled for it, and the last launch of each thread.
// Compiling and choosing a schedule are its owner's, given as functions; loading is ModuleCache's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/CallSignature.h"
#include "Tilus/Runtime/ModuleCache.h"
#include "Tilus/Runtime/Tuner.h"
#include "Tilus/Runtime/WorkspacePool.h"

#include <functional>

namespace tilus {

/// What the compile function gets.
struct CompileRequest {
  const CallSignature &signature;
  const Target &target;
  /// A value for each parameter of the signature; that of a constant is to be compiled in, the others are
  /// those of the call that came first and must not matter.
  llvm::ArrayRef<CallValue> args;
  /// What the code may rely on each parameter being a multiple of; 1 where there is nothing.
  llvm::ArrayRef<uint64_t> divisibility;
};

/// Compiles for a request: one candidate a schedule, at least one. It may be called by several threads at a
/// time, for different requests; for equal ones by one thread alone.
using CompileFunction = std::function<llvm::Expected<std::vector<Candidate>>(const CompileRequest &request)>;

/// What the function that chooses between schedules gets.
struct ChooseRequest {
  const CallSignature &signature;
  const Target &target;
  const Device &device;
  cuda::StreamHandle stream;
  /// At least two. Their parameters are those of the signature that are no constants, in order.
  llvm::ArrayRef<Candidate> candidates;
  /// The call's value for each of them.
  llvm::ArrayRef<TuneValue> values;
  /// The whole key of the call, JIT key and tuning key, as CallSignature::computeKey writes it.
  llvm::ArrayRef<uint64_t> key;
};

/// Returns the number of the candidate for this key and all calls that share it.
using ChooseFunction = std::function<llvm::Expected<unsigned>(const ChooseRequest &request)>;

/// Which way a call took to its kernel.
enum class DispatchPath : uint8_t {
  Shortcut, ///< The same as the thread's last launch.
  Table,    ///< Found in the target's table.
  Slow,     ///< Compiled, chosen, or loaded.
};

/// A launch as hooks see it.
struct LaunchInfo {
  const CallSignature &signature;
  const Target &target;
  const Device &device;
  cuda::StreamHandle stream;
  const KernelArtifact &artifact;
  DispatchPath path;
};

/// Where a call runs.
struct CallSite {
  /// Has to outlive the dispatcher.
  const Device *device = nullptr;
  /// The driver's handle; null for the default stream.
  cuda::StreamHandle stream = nullptr;
  /// The target of the call; null for the current one (getCurrentTarget), or else the device's default.
  const Target *target = nullptr;
};

struct DispatcherOptions {
  /// Compiles. Required.
  CompileFunction compile;
  /// Chooses among several candidates; without it the first one is taken.
  ChooseFunction choose;
  /// Called on the calling thread around each launch, also one of an empty grid. A hook may call dispatchers
  /// and change the current target; the launch goes on as it was called.
  std::function<void(const LaunchInfo &)> beforeLaunch, afterLaunch;
  /// Told in a line which path each call took.
  std::function<void(llvm::StringRef)> log;
  /// The modules; a cache of the dispatcher's own if null.
  std::shared_ptr<ModuleCache> modules;
  /// The memory of workspaces; a pool of the dispatcher's own if null. Graphs that captured launches may run
  /// as long as it lives.
  std::shared_ptr<WorkspacePool> workspaces;
};

/// For DispatcherOptions::log: writes to the standard error if the variable TILUS_LOG has `dispatch=debug`
/// among its words, which are apart by commas; else nothing.
std::function<void(llvm::StringRef)> getDispatchLogFromEnvironment();

/// What was compiled for one target and one JIT key.
struct JitInstance {
  const Target &target;
  std::vector<Candidate> candidates;
};

/// The kernel that a call finds.
struct FoundKernel {
  const JitInstance *instance;
  /// The number of the candidate.
  unsigned candidate;
  DispatchPath path;
};

/// One entry of the dispatch table of a target.
struct DispatchEntry {
  /// As CallSignature::computeKey writes it.
  std::vector<uint64_t> key;
  const JitInstance *instance;
  /// The number of the candidate.
  unsigned candidate;
};

/// What a dispatcher did for one target.
struct TargetStats {
  const Target *target;
  /// Compiled instances, and entries of the dispatch table.
  uint64_t instances, entries;
  /// Calls by path. The three add up to all calls that found a kernel.
  uint64_t shortcutHits, tableHits, slowCalls;
  /// Time in the compile function, in milliseconds, summed over threads.
  double compileMilliseconds;
  /// Candidates that came from the disk cache, and that it did not have.
  uint64_t cacheHits, cacheMisses;
};

class DispatcherState;

/// May be used by any number of threads. A call that repeats the thread's last one, or finds its entry in the
/// table, takes no lock and allocates nothing.
class Dispatcher {
public:
  Dispatcher(CallSignature signature, DispatcherOptions options);
  /// No thread may be in a call.
  ~Dispatcher();
  Dispatcher(const Dispatcher &) = delete;
  Dispatcher &operator=(const Dispatcher &) = delete;

  const CallSignature &getSignature() const;

  /// Launches the kernel of the call's target for the arguments and returns without waiting for it; compiles,
  /// chooses and loads it before if need be. The target is read once, at entry. An empty grid launches
  /// nothing and succeeds.
  ///
  /// Fails, in words, for arguments that do not suit the signature or the kernel, or lie on another device;
  /// for a target whose code cannot run on the device; for a kernel that would have to be compiled or loaded
  /// while the stream is being captured; in a child that was forked after CUDA was initialised; and with what
  /// compiling and the driver report.
  llvm::Error call(llvm::ArrayRef<CallValue> args, const CallSite &site);

  /// The instance of a target (the current one if null) for the arguments, compiled if need be. Needs no
  /// driver and no device. The instance lives as long as the dispatcher.
  llvm::Expected<const JitInstance *> compile(llvm::ArrayRef<CallValue> args, const Target *target = nullptr);

  /// The kernel that a call under the target (the current one if null) launches, compiled if need be. Needs
  /// no driver and no device: among several candidates between which nobody has chosen yet it takes the
  /// first, and does not remember that. Counted as a call.
  llvm::Expected<FoundKernel> find(llvm::ArrayRef<CallValue> args, const Target *target = nullptr);

  /// The dispatch table of a target, in the order in which the entries came.
  std::vector<DispatchEntry> entries(const Target &target) const;

  /// A row for each target that was used, in the order of their first use. Calls that go on meanwhile may be
  /// counted in part.
  std::vector<TargetStats> stats() const;

private:
  std::unique_ptr<DispatcherState> state;
};

} // namespace tilus
