// A line on a terminal that shows how far a tuning has come.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Tuner.h"

#include "llvm/Support/raw_ostream.h"

namespace tilus {

/// Made for TuneOptions::onProgress. Rewrites one line after each candidate and ends it after the last:
/// "add [######----] 3/5, best 0.25 ms: tile 128x128". Prints nothing where the stream is no terminal.
class TuneProgressBar {
public:
  TuneProgressBar(llvm::raw_ostream &os, llvm::StringRef title)
      : TuneProgressBar(os, title, os.is_displayed()) {}
  /// For a stream that is known to be a terminal, or not to be one.
  TuneProgressBar(llvm::raw_ostream &os, llvm::StringRef title, bool isTerminal)
      : os(&os), title(title.str()), isTerminal(isTerminal) {}

  void operator()(const TuneProgress &progress) const;

private:
  llvm::raw_ostream *os;
  std::string title;
  bool isTerminal;
};

} // namespace tilus
