//===- Assemblers.h - the two ways to assemble -------------------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the interface of nvJitLink and ptxas to Cubin.cpp. Private to it.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/Target/Cubin/Cubin.h"
#include <optional>

namespace tilus {

/// What an assembler is asked to do.
struct AssemblyJob {
  llvm::StringRef ptx;
  const TargetInfo *target;
  const CubinOptions *options;
  /// Blocks that a multiprocessor is to hold at once, at least, which bounds the registers; 0 for no such
  /// bound.
  int64_t minBlocks = 0;
};

/// What an assembler gave: the image and its log, or the log alone.
struct AssemblyResult {
  /// The image; empty if it failed.
  std::string bytes;
  /// All that it printed.
  std::string log;
  /// True if it failed because it does not know the chip.
  bool isChipUnknown = false;
  /// The assembler in words, for messages: "nvJitLink 13.0 (/usr/local/cuda/lib64/libnvJitLink.so.13)".
  std::string name;
};

/// The library that assembleWithNvJitLink() uses; empty if it is not found.
std::string findNvJitLink(const ToolkitPaths &paths);

/// Assembles with nvJitLink. Fills `search` with the places looked in; none if the library is not found.
std::optional<AssemblyResult> assembleWithNvJitLink(const AssemblyJob &job, ToolkitSearch &search);

/// Whether this process was forked while a thread was in the library, which then cannot be used any more.
bool isNvJitLinkLost();

/// Assembles with ptxas. Fills `search` with the places looked in; none if the program is not found.
std::optional<AssemblyResult> assembleWithPtxas(const AssemblyJob &job, ToolkitSearch &search);

} // namespace tilus
