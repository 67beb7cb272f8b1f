// Printing of the progress of a tuning.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TuneProgressBar.h"

#include "llvm/Support/Format.h"

namespace tilus {

void TuneProgressBar::operator()(const TuneProgress &progress) const {
  if (!isTerminal)
    return;
  constexpr unsigned width = 20;
  // Schedules may have long names; a line that wraps could not be rewritten.
  constexpr size_t nameWidth = 40;
  unsigned filled = progress.done * width / progress.total;
  *os << "\r\x1b[K" << title << " [" << std::string(filled, '#') << std::string(width - filled, '-') << "] "
      << progress.done << "/" << progress.total;
  if (progress.best)
    *os << ", best " << llvm::format("%.4g", progress.bestMilliseconds)
        << " ms: " << llvm::StringRef(progress.best->schedule).take_front(nameWidth);
  if (progress.done == progress.total)
    *os << "\n";
  os->flush();
}

} // namespace tilus
