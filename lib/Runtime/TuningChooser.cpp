// Stored choices, tuning of what has none, and storing of what was found.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TuningChooser.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tilus {

void TuningChooser::warn(const llvm::Twine &text) const {
  if (options.warn)
    options.warn(text.str());
}

TuningChooserStats TuningChooser::getStats() const {
  std::lock_guard lock(mutex);
  return stats;
}

std::string TuningChooser::getKeyName(const CallSignature &signature, llvm::ArrayRef<uint64_t> key) {
  std::string name;
  llvm::ArrayRef<uint64_t> rounded = key.drop_front(signature.getJitWords());
  for (const CallParam &param : signature.getParams())
    if (param.kind == CallParam::Kind::Integer && !rounded.empty()) {
      name += param.name + "=" + std::to_string(static_cast<int64_t>(rounded.front())) + " ";
      rounded = rounded.drop_front();
    }
  FieldHasher hasher;
  for (uint64_t word : key.take_front(signature.getJitWords()))
    hasher.add("word", word);
  return name + "jit=" + hasher.finish().toHex().substr(0, 16);
}

static TuningFingerprint getFingerprint(const ChooseRequest &request, const std::string &tilusBuild) {
  int cuda = request.device.getDriver().getVersion();
  return {request.target.getName().str(), request.device.getName().str(),
          request.device.getCapability().str(),
          std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10), tilusBuild};
}

TuningChooser::Memory &TuningChooser::getMemory(const ChooseRequest &request) {
  TuningFingerprint fingerprint = getFingerprint(request, options.tilusBuild);
  std::string kind = fingerprint.gpu + " " + fingerprint.computeCapability;
  std::unique_ptr<Memory> &memory = memories[{&request.target, std::move(kind)}];
  if (memory)
    return *memory;
  memory.reset(new Memory{TuningTable(fingerprint), nullptr});
  if (!options.openDirectory)
    return *memory;
  llvm::Expected<ScriptDirectory> directory = options.openDirectory(request.target);
  if (!directory) {
    warn("choices of schedules are not kept: " + llvm::toString(directory.takeError()));
    return *memory;
  }
  memory->directory = std::make_unique<ScriptDirectory>(std::move(*directory));
  Loaded<TuningTable> loaded = memory->directory->loadTuning(fingerprint);
  if (!loaded.problem.empty())
    warn("stored choices of schedules are not used: " + loaded.problem);
  memory->table = std::move(loaded.value);
  return *memory;
}

std::optional<unsigned> TuningChooser::findStored(const ChooseRequest &request, llvm::StringRef key) {
  std::lock_guard lock(mutex);
  const TuningChoice *choice = getMemory(request).table.find(key);
  if (!choice)
    return std::nullopt;
  const auto *candidate = llvm::find_if(request.candidates, [&](const Candidate &candidate) {
    return candidate.scheduleHash == choice->schedule;
  });
  if (candidate == request.candidates.end())
    return std::nullopt;
  ++stats.known;
  return static_cast<unsigned>(candidate - request.candidates.begin());
}

/// Writes at once: what was tuned before a crash is not tuned again.
void TuningChooser::store(const ChooseRequest &request, const std::string &key, TuningChoice choice) {
  std::lock_guard lock(mutex);
  Memory &memory = getMemory(request);
  memory.table.set(key, choice);
  ++stats.tuned;
  if (!memory.directory)
    return;
  TuningTable added(memory.table.getFingerprint());
  added.set(key, std::move(choice));
  llvm::Error error = memory.directory->saveTuning(added);
  if (!error)
    return;
  warn("choices of schedules are not kept: " + llvm::toString(std::move(error)));
  memory.directory.reset();
}

llvm::Expected<unsigned> TuningChooser::choose(const ChooseRequest &request) {
  std::string key = getKeyName(request.signature, request.key);
  if (std::optional<unsigned> stored = findStored(request, key))
    return *stored;
  std::lock_guard tuning(tuneMutex);
  llvm::Expected<TuneReport> report =
      tune(request.device, request.candidates, request.values, options.tune, request.stream);
  if (!report) {
    warn("the schedules of '" + request.signature.getName() +
         "' are not compared, the first is used: " + llvm::toString(report.takeError()));
    return 0;
  }
  if (options.onReport)
    options.onReport(request, key, *report);
  if (!report->warning.empty())
    warn("candidates run in this process: " + report->warning);
  if (!report->best)
    return llvm::createStringError("expected a schedule of '" + request.signature.getName() + "' for " +
                                   request.target.getName() + " that can be used, but got none:\n" +
                                   report->describeRefusals());
  const TuneOutcome &best = report->outcomes[*report->best];
  store(request, key, {best.scheduleHash, *best.milliseconds});
  return *report->best;
}

} // namespace tilus
