// Tuners of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatcher.h"
#include "Tilus/Runtime/TuneProgressBar.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;
using namespace tilus::capi;

static void report(const TilusTunerOptions &options, const ChooseRequest &request, llvm::StringRef key,
                   const TuneReport &report) {
  std::vector<TilusTuneOutcome> outcomes;
  for (const TuneOutcome &outcome : report.outcomes)
    outcomes.push_back({outcome.schedule.c_str(), outcome.milliseconds.value_or(-1), outcome.reason.c_str()});
  std::string device = request.device.getName().str(), name = key.str();
  TilusTuneReport filled = {};
  filled.size = sizeof(filled);
  filled.target = wrapTarget(&request.target);
  filled.device = device.c_str();
  filled.key = name.c_str();
  filled.outcomes = outcomes.data();
  filled.outcomeCount = outcomes.size();
  filled.best = report.best.value_or(outcomes.size());
  options.onReport(options.userData, &filled);
}

/// Draws on the standard error, by a stream of its own.
static std::function<void(const TuneProgress &)> makeProgressBar() {
  auto stream = std::make_shared<llvm::raw_fd_ostream>(/*fd=*/2, /*shouldClose=*/false, /*unbuffered=*/true);
  return [stream, bar = TuneProgressBar(*stream, "tuning")](const TuneProgress &progress) { bar(progress); };
}

/// Opens the folder in which a store keeps the choices for a target.
static std::function<llvm::Expected<ScriptDirectory>(const Target &)>
makeOpen(const TilusScriptStore &store) {
  return [store](const Target &target) -> llvm::Expected<ScriptDirectory> {
    llvm::Expected<std::optional<ScriptDirectory>> folder = store.open(target);
    if (!folder)
      return folder.takeError();
    if (!*folder)
      return llvm::createStringError("the cache is off");
    return std::move(**folder);
  };
}

TilusError *tilusTunerCreate(const TilusTunerOptions *options, TilusTuner **result) {
  if (!result)
    return makeNullError("a place for the tuner");
  *result = nullptr;
  if (TilusError *error = checkInput(options, "TilusTunerOptions"))
    return error;
  TuningChooserOptions chooser;
  if (options->warmUp != 0)
    chooser.tune.warmUp = options->warmUp;
  if (options->repeat != 0)
    chooser.tune.repeat = options->repeat;
  if (options->secondsPerCandidate > 0)
    chooser.tune.secondsPerCandidate = options->secondsPerCandidate;
  if (options->measureProgram)
    chooser.tune.measureProgram = options->measureProgram;
  if (options->showProgress)
    chooser.tune.onProgress = makeProgressBar();
  if (options->onReport)
    chooser.onReport = [options = *options](const ChooseRequest &request, llvm::StringRef key,
                                            const TuneReport &found) {
      report(options, request, key, found);
    };
  if (options->warn)
    chooser.warn = [warn = options->warn, userData = options->userData](llvm::StringRef text) {
      warn(userData, text.str().c_str());
    };
  if (options->store && options->store->cache) {
    chooser.openDirectory = makeOpen(*options->store);
    chooser.tilusBuild = options->store->identity.tilusBuild;
  }
  *result = new TilusTuner{std::make_shared<TuningChooser>(std::move(chooser))};
  return nullptr;
}

void tilusTunerGetCounts(const TilusTuner *tuner, uint64_t *known, uint64_t *tuned) {
  TuningChooserStats stats = tuner ? tuner->chooser->getStats() : TuningChooserStats();
  if (known)
    *known = stats.known;
  if (tuned)
    *tuned = stats.tuned;
}

void tilusTunerDestroy(TilusTuner *tuner) { delete tuner; }
