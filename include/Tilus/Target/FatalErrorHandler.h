// The last net under LLVM's back ends.
//
// Owns what a tool does when LLVM meets an error that it cannot report, such as an instruction that it cannot
// select for the target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace tilus {

/// For tools: on a fatal error of LLVM, prints one clear line to the standard error, and the notes of the
/// thread, and exits with code 1, instead of aborting with a stack trace. LLVM keeps one handler in a
/// process; a library never installs one.
void installFatalErrorHandler();

/// A line that is printed with a fatal error which this thread meets while it lives. They nest.
class FatalErrorNote {
public:
  explicit FatalErrorNote(std::string text);
  ~FatalErrorNote();
  FatalErrorNote(const FatalErrorNote &) = delete;
  FatalErrorNote &operator=(const FatalErrorNote &) = delete;

  const std::string &getText() const { return text; }
  const FatalErrorNote *getOuter() const { return outer; }

private:
  std::string text;
  const FatalErrorNote *outer;
};

} // namespace tilus
