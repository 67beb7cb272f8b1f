// A library in front of libc that lets the Nth file-system call fail, or kills the process there.
//
// A test program links it and arms it. For other programs it is preloaded (LD_PRELOAD) and armed from their
// start by TILUS_FAULT=<fault>:<call>, where the fault is "kill", "short" or the number of an error (errno).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace tilus {

enum class Fault : int {
  /// Calls are counted only.
  None,
  /// The process ends by SIGKILL instead of making the call; a write is made in half before.
  Kill,
  /// The call is not made and returns -1 with an error. A close is made, as the system does.
  Fail,
  /// A read or write moves only a part of the bytes; other calls are made.
  Short
};

} // namespace tilus

extern "C" {
/// Starts counting calls of this process from 1; the `call`th gets the fault, with `code` for errno.
void tilusArmFault(tilus::Fault fault, long call, int code);
/// Ends counting; the number of calls.
long tilusDisarmFault();
}
