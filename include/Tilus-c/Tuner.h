// Choosing between the schedules of a kernel by measuring them, with a memory.
// The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_TUNER_H
#define TILUS_C_TUNER_H

#include "Tilus-c/Dispatcher.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What became of a schedule.
typedef struct TilusTuneOutcome {
  const char *schedule;
  /// The median; negative if it was refused before it was timed.
  double milliseconds;
  /// Why it may not be chosen; "" if it may.
  const char *reason;
} TilusTuneOutcome;

/// What a tuning found. Valid during the call alone.
typedef struct TilusTuneReport {
  size_t size;
  const TilusTarget *target;
  /// The device's name.
  const char *device;
  /// What calls share the choice: the rounded integers by name, and a hash of the constants.
  const char *key;
  /// One for each candidate, in their order.
  const TilusTuneOutcome *outcomes;
  size_t outcomeCount;
  /// The number of the one to use; outcomeCount if all were refused.
  size_t best;
} TilusTuneReport;

/// Where choices are kept on disk; see ScriptStore.h.
typedef struct TilusScriptStore TilusScriptStore;

/// All but `size` may be zero.
typedef struct TilusTunerOptions {
  size_t size;
  /// Launches that are not timed, and that are; 0 for 5 and 50.
  unsigned warmUp;
  unsigned repeat;
  /// The time for all launches of a candidate together; 0 for 10.
  double secondsPerCandidate;
  /// The program tilus-measure, in which candidates run apart from this process; null to run them in it.
  const char *measureProgram;
  /// Null to keep choices for the life of the tuner alone.
  const TilusScriptStore *store;
  /// Whether a bar of progress is drawn on the standard error, if that is a terminal.
  bool showProgress;
  /// Told of each tuning, on the thread that tuned.
  void (*onReport)(void *userData, const TilusTuneReport *report);
  /// Told of choices that cannot be used or kept, and of tunings that could not be done.
  void (*warn)(void *userData, const char *text);
  /// Passed to both.
  void *userData;
} TilusTunerOptions;

/// A tuner, for any number of dispatchers. One thread tunes at a time.
TILUS_C_FALLIBLE TilusError *tilusTunerCreate(const TilusTunerOptions *options, TilusTuner **result);
/// How many keys had a choice that was known, and how many were tuned. Either result may be null.
TILUS_C_EXPORT void tilusTunerGetCounts(const TilusTuner *tuner, uint64_t *known, uint64_t *tuned);
TILUS_C_EXPORT void tilusTunerDestroy(TilusTuner *tuner);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_TUNER_H
