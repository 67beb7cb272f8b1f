//===- Occupancy.h - how many blocks share a multiprocessor ------------------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the arithmetic of resident blocks. Private to Cubin.cpp.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "Tilus/TargetInfo/TargetInfo.h"

namespace tilus {

/// What one block takes of a multiprocessor beside registers.
struct BlockShape {
  int64_t threads;
  /// Shared memory, static and dynamic, in bytes.
  int64_t sharedBytes;
};

/// The shape of the PTX's only kernel that has a fixed number of threads; none if it has no or several
/// kernels.
std::optional<int64_t> readBlockThreads(llvm::StringRef ptx);

/// Blocks that one multiprocessor holds at once.
int64_t countResidentBlocks(const TargetInfo &target, const BlockShape &block, int64_t registers);

/// Registers of a thread, at most, with which one multiprocessor holds so many blocks; 0 if something else
/// keeps it from that.
int64_t getRegisterLimit(const TargetInfo &target, const BlockShape &block, int64_t blocks);

} // namespace tilus
