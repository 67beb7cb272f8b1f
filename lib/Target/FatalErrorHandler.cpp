// The handler of LLVM's fatal errors that tools install.
//
// It runs in a process whose state is not to be trusted, so it only writes and leaves.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Target/FatalErrorHandler.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include <cstdio>
#include <unistd.h>

using namespace tilus;

/// The innermost note of the thread.
static thread_local const FatalErrorNote *innermostNote = nullptr;

FatalErrorNote::FatalErrorNote(std::string text) : text(std::move(text)), outer(innermostNote) {
  innermostNote = this;
}

FatalErrorNote::~FatalErrorNote() { innermostNote = outer; }

static void reportAndExit(void *, const char *reason, bool) {
  std::fprintf(stderr, "error: LLVM cannot generate code for this kernel and target: %s\n", reason);
  for (const FatalErrorNote *note = innermostNote; note; note = note->getOuter())
    std::fprintf(stderr, "note: %s\n", note->getText().c_str());
  std::fflush(stderr);
  // Removes the temporary files that were registered, as LLVM itself would.
  llvm::sys::RunInterruptHandlers();
  _exit(1);
}

void tilus::installFatalErrorHandler() {
  llvm::remove_fatal_error_handler();
  llvm::install_fatal_error_handler(reportAndExit);
}
