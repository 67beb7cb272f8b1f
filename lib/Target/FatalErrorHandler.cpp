//===- FatalErrorHandler.cpp - the last net under LLVM's back ends
//---------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the handler that tools install. It runs in a process whose state is not to be trusted, so it only
// writes and leaves.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/FatalErrorHandler.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <cstdio>
#include <unistd.h>

static void reportAndExit(void *, const char *reason, bool) {
  std::fprintf(stderr, "error: LLVM cannot generate code for this kernel and target: %s\n", reason);
  std::fflush(stderr);
  // Removes the temporary files that were registered, as LLVM itself would.
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

void tilus::installFatalErrorHandler() {
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(reportAndExit);
}
