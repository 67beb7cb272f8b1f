// Tuning: the choice of the fastest of several compiled forms of a kernel.
//
// Owns how candidates are timed, compared with each other and refused. Which calls share a choice, and where
// choices are kept, belongs to others. A choice is named by the schedule's hash, never by its place in a
// list.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Candidate.h"
#include "Tilus/Runtime/Device.h"

#include "llvm/ADT/ArrayRef.h"
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilus {

/// The value of one parameter of the kernel.
struct TuneValue {
  /// The bit pattern of a scalar of the parameter's type, or an address.
  uint64_t code = 0;
  /// The bytes of memory behind an address. 0 if they are not known: the driver is asked then.
  uint64_t bytes = 0;
};

/// How far a tuning has come: after each candidate.
struct TuneProgress {
  unsigned done;
  unsigned total;
  /// The fastest so far, before the results are compared; null if there is none.
  const Candidate *best;
  double bestMilliseconds;
};

struct TuneOptions {
  /// Launches that are not timed, and the most that are. The median of the timed ones counts. Five are enough
  /// once they took 20 ms together, and three where each took 1.3 times the median of another candidate that
  /// wrote the same bytes.
  unsigned warmUp = 5;
  unsigned repeat = 50;
  /// The time for all launches of a candidate together. One that has not ended after it is refused; one that
  /// is slow is timed less often, but at least three times.
  double secondsPerCandidate = 10;
  /// The bytes that are written before each timed launch to empty the L2 cache; by default twice its size,
  /// and at least 128 MiB.
  std::optional<uint64_t> flushBytes;
  /// The program `tilus-measure`, in which candidates run apart from this process, so that neither one that
  /// never ends nor one that faults harms it. Empty: they run in this process, and such a candidate costs it
  /// the use of the device; what was not measured by then is not chosen. They run in this process too if the
  /// program cannot be started, or cannot have the device or the memory.
  std::string measureProgram;
  /// Called after each candidate, on the calling thread.
  std::function<void(const TuneProgress &)> onProgress;
};

/// What became of a candidate.
struct TuneOutcome {
  std::string scheduleHash;
  std::string schedule;
  /// The median; none if it was refused before it was timed.
  std::optional<double> milliseconds;
  /// Why it may not be chosen; empty if it may.
  std::string reason;
};

struct TuneReport {
  /// One for each candidate, in their order.
  std::vector<TuneOutcome> outcomes;
  /// The number of the candidate to use; none if all were refused.
  std::optional<unsigned> best;
  /// Why the candidates did not run in the program that was asked for, but in this process; mostly empty.
  std::string warning;

  /// All reasons, for an error: one line a refused candidate.
  std::string describeRefusals() const;
};

/// Times the candidates on copies of the memory behind the arguments, compares what they write there, and
/// picks the fastest one of the largest group that agrees (of two groups of one size, the one with the
/// earlier candidate). Integers agree if they are equal, floats if they differ by a rounding error of the
/// largest value in the buffer. The arguments' own memory is only read. Waits for the work on the
/// stream first, which is that of the call; captures of other streams stay valid.
///
/// Fails if there is no candidate, if memory behind an argument cannot be copied, or if the copies cannot be
/// allocated: then nothing has been measured. A candidate that does not load, launch or end is an outcome,
/// not a failure.
llvm::Expected<TuneReport> tune(const Device &device, llvm::ArrayRef<Candidate> candidates,
                                llvm::ArrayRef<TuneValue> values, const TuneOptions &options = {},
                                cuda::StreamHandle stream = nullptr);

} // namespace tilus
