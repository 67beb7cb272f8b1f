// The dispatcher behind a handle of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Handles.h"
#include "Tilus-c/ScriptStore.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/KernelCache.h"
#include "Tilus/Runtime/TuningChooser.h"

#include <array>
#include <atomic>

/// Destroyed from the last member to the first: devices outlive the modules on them.
struct TilusDispatcher {
  TilusDispatcher(tilus::CallSignature signature, tilus::DispatcherOptions options)
      : dispatcher(std::move(signature), std::move(options)) {}

  /// Keeps the device open for as long as the dispatcher lives.
  void keep(const std::shared_ptr<const tilus::capi::OpenDevice> &open) {
    if (LLVM_UNLIKELY(recent[getSlot(*open)].load(std::memory_order_acquire) != open.get()))
      add(open);
  }

  tilus::Dispatcher &get() { return dispatcher; }
  const tilus::Dispatcher &get() const { return dispatcher; }

private:
  static size_t getSlot(const tilus::capi::OpenDevice &open) { return open.device->getOrdinal() % 16; }
  void add(const std::shared_ptr<const tilus::capi::OpenDevice> &open);

  tilus::ForkSafeMutex mutex;
  std::vector<std::shared_ptr<const tilus::capi::OpenDevice>> devices;
  /// The device last used of each number: one of `devices`, looked at without a lock.
  std::array<std::atomic<const tilus::capi::OpenDevice *>, 16> recent = {};
  tilus::Dispatcher dispatcher;
};

struct TilusCompileResult {
  const tilus::Target &target;
  std::vector<tilus::Candidate> candidates;
};

struct TilusTuner {
  std::shared_ptr<tilus::TuningChooser> chooser;
};

struct TilusCache {
  /// Null for none.
  std::shared_ptr<tilus::KernelCache> cache;
};

/// The folders of a script.
struct TilusScriptStore {
  std::shared_ptr<tilus::KernelCache> cache;
  /// The identity, but for the target.
  tilus::ScriptIdentity identity;

  /// The folder; nothing where nothing is kept.
  llvm::Expected<std::optional<tilus::ScriptDirectory>> open(const tilus::Target &target) const;
};

namespace tilus::capi {

inline CallValue unwrapValue(TilusValue value) {
  CallValue unwrapped;
  std::memcpy(static_cast<void *>(&unwrapped), &value, sizeof(value));
  return unwrapped;
}
inline llvm::ArrayRef<CallValue> unwrapValues(const TilusValue *values, size_t count) {
  return {reinterpret_cast<const CallValue *>(values), count};
}

/// The cache that the option names: "off", "on", or a folder; null for none.
std::shared_ptr<KernelCache> openCache(llvm::StringRef option);
/// The folders of a script for that build of the compiler.
TilusError *makeStore(std::shared_ptr<KernelCache> cache, std::string build,
                      const TilusScriptIdentity *identity, TilusScriptStore **result);

/// What a schedule is remembered by; empty for none.
std::string hashSchedule(llvm::StringRef schedule);
/// An artifact under a schedule.
Candidate makeCandidate(std::shared_ptr<const KernelArtifact> artifact, llvm::StringRef schedule,
                        CacheOutcome cache = CacheOutcome::Unused);

/// The dispatcher's own options: without a compile function. Fails for a struct of the wrong size.
TilusError *readOptions(const TilusDispatcherOptions *options, DispatcherOptions &result);
/// The signature of a dispatcher.
TilusError *readSignature(const char *name, const TilusCallParam *params, size_t paramCount,
                          std::optional<CallSignature> &result);

} // namespace tilus::capi
