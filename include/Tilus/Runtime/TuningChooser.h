// Choosing between the schedules of a kernel by tuning, with a memory on disk.
//
// Owns when a stored choice is used, when a key is tuned, and what is written. How candidates are measured is
// the tuner's, the form of a table TuningTable's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/ScriptDirectory.h"

#include <map>
#include <mutex>

namespace tilus {

struct TuningChooserOptions {
  TuneOptions tune;
  /// Where choices are kept, for a target; null to keep them for the life of the chooser alone.
  std::function<llvm::Expected<ScriptDirectory>(const Target &target)> openDirectory;
  /// The build of the compiler, a part of what a choice holds under.
  std::string tilusBuild;
  /// Told of each tuning that measured, with the key's name.
  std::function<void(const ChooseRequest &request, llvm::StringRef key, const TuneReport &report)> onReport;
  /// Takes warnings: a table that is not used or cannot be written, a tuning that could not be done.
  std::function<void(llvm::StringRef)> warn;
};

/// Counts of what became of requests.
struct TuningChooserStats {
  /// Keys whose choice was known, and keys that were tuned.
  uint64_t known = 0, tuned = 0;
};

/// Threads may share it; one of them tunes at a time, for kernels that run side by side slow each other.
class TuningChooser {
public:
  explicit TuningChooser(TuningChooserOptions options) : options(std::move(options)) {}

  /// The candidate of the key's stored choice, or, if there is none whose schedule is among the candidates,
  /// the one that a tuning finds; this choice is then stored. Where nothing can be measured it is the first
  /// candidate, with a warning, and nothing is stored. Fails if every candidate was refused.
  llvm::Expected<unsigned> choose(const ChooseRequest &request);

  /// As the dispatcher's option. The chooser must outlive the function.
  ChooseFunction getFunction() {
    return [this](const ChooseRequest &request) { return choose(request); };
  }

  TuningChooserStats getStats() const;

  /// The name of a request's key in a table: the rounded integers by name, then a hash of the JIT key, as in
  /// "m=4096 n=6144 jit=0123456789abcdef". It is the same in every process.
  static std::string getKeyName(const CallSignature &signature, llvm::ArrayRef<uint64_t> key);

private:
  /// The choices for a target on a kind of device.
  struct Memory {
    TuningTable table;
    std::unique_ptr<ScriptDirectory> directory;
  };

  Memory &getMemory(const ChooseRequest &request);
  std::optional<unsigned> findStored(const ChooseRequest &request, llvm::StringRef key);
  void store(const ChooseRequest &request, const std::string &key, TuningChoice choice);
  void warn(const llvm::Twine &text) const;

  TuningChooserOptions options;
  /// Held for a tuning.
  std::mutex tuneMutex;
  /// Guards what follows.
  mutable std::mutex mutex;
  /// By the target, and the name and the capability of the device.
  std::map<std::pair<const Target *, std::string>, std::unique_ptr<Memory>> memories;
  TuningChooserStats stats;
};

} // namespace tilus
