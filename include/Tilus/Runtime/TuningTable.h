// The schedules that were found best, as a table from tuning keys to schedules, and its text form.
//
//   {"metadata": {"version": 1, "target": "sm_90a", "gpu": "NVIDIA H200", "compute_capability": "9.0",
//                 "cuda": "13.0", "tilus": "0.1.0"},
//    "entries": [{"key": "m=4096,n=4096", "schedule": "1f0c…", "milliseconds": 0.25}]}
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <string>

namespace tilus {

/// Under what choices hold: choices made under other values are not used.
struct TuningFingerprint {
  std::string target;
  std::string gpu;
  std::string computeCapability;
  std::string cuda;
  std::string tilus;

  /// The name of a field that differs, or an empty one. A `*` in `stored` matches every value.
  static std::string findMismatch(const TuningFingerprint &stored, const TuningFingerprint &current);
};

/// The best schedule of one tuning key.
struct TuningChoice {
  /// The hash of the schedule. A place in a list of schedules would change its meaning with the list.
  std::string schedule;
  double milliseconds = 0;
};

class TuningTable {
public:
  explicit TuningTable(TuningFingerprint fingerprint) : fingerprint(std::move(fingerprint)) {}

  /// Reads a table. Fails where the text is damaged, is of another version, or holds under another
  /// fingerprint than the current one.
  static llvm::Expected<TuningTable> parse(llvm::StringRef text, const TuningFingerprint &current);
  std::string serialize() const;

  /// The choice for a key, or null. The schedule may be one that is not there any more.
  const TuningChoice *find(llvm::StringRef key) const;
  /// Takes the choice for a key, in place of an older one. Both texts have to be UTF-8.
  void set(llvm::StringRef key, TuningChoice choice) { choices[key.str()] = std::move(choice); }
  /// Takes all choices of another table.
  void merge(const TuningTable &other);
  size_t size() const { return choices.size(); }
  const std::map<std::string, TuningChoice> &getChoices() const { return choices; }
  const TuningFingerprint &getFingerprint() const { return fingerprint; }

private:
  TuningFingerprint fingerprint;
  /// In order, so that the same choices give the same text.
  std::map<std::string, TuningChoice> choices;
};

} // namespace tilus
