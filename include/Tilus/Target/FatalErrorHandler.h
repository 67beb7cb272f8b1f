//===- FatalErrorHandler.h - the last net under LLVM's back ends -------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what a tool does when LLVM meets an error that it cannot report, such as an instruction that it cannot
// select for the target.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

namespace tilus {

/// For tools: on a fatal error of LLVM, prints one clear line to the standard error and exits with code 1,
/// instead of aborting with a stack trace. LLVM keeps one handler in a process; a library never installs one.
void installFatalErrorHandler();

} // namespace tilus
