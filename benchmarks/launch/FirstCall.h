// What the first call of a kernel costs in a new process: compiled anew, or from a warm disk cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"

namespace tilus {

/// Medians over processes, in milliseconds.
struct FirstCallTimes {
  /// Reading the kernel's text, before the first call.
  double read = 0;
  /// The first call of a kernel that is not in the cache.
  double cold = 0;
  /// The first call of one that is.
  double warm = 0;
};

/// Reads an empty kernel, makes its first call, with a cache in the folder, and prints the milliseconds of
/// both. The call's begin with the making of the dispatcher and its compiler, and end with the return of the
/// launch. The driver is loaded and the device open already.
llvm::Error runFirstCall(const Device &device, llvm::StringRef cacheFolder);

/// Runs `program` with `words` and `--first-call=<folder>` in processes of their own, which make that call.
llvm::Expected<FirstCallTimes> measureFirstCalls(llvm::StringRef program, llvm::ArrayRef<std::string> words);

} // namespace tilus
