//===- Occupancy.cpp - how many blocks share a multiprocessor
//---------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the arithmetic of resident blocks (CUDA programming guide, "Multiprocessor Level").
//
//===---------------------------------------------------------------------------------------------------===//

#include "Occupancy.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilus;

/// A warp's registers are taken in multiples of this many a thread.
static constexpr int64_t kRegisterStep = 8;

std::optional<int64_t> tilus::readBlockThreads(StringRef ptx) {
  constexpr StringLiteral kDirective = ".reqntid ";
  if (ptx.count(".entry ") != 1 || ptx.count(kDirective) != 1)
    return std::nullopt;
  StringRef sizes = ptx.split(kDirective).second.take_while([](char c) { return c != '\n'; });
  int64_t threads = 1;
  for (StringRef size : split(sizes, ',')) {
    int64_t number = 0;
    if (size.trim().getAsInteger(10, number))
      return std::nullopt;
    threads *= number;
  }
  return threads;
}

static int64_t getWarps(const TargetInfo &target, const BlockShape &block) {
  return divideCeil(block.threads, target.warpSize);
}

/// Blocks, as far as registers do not bound them.
static int64_t countBlocksOfMemory(const TargetInfo &target, const BlockShape &block) {
  int64_t bytes = block.sharedBytes + target.reservedSharedMemoryPerBlock;
  int64_t blocks = target.maxThreadsPerMultiprocessor / (getWarps(target, block) * target.warpSize);
  blocks = std::min<int64_t>(blocks, target.maxBlocksPerMultiprocessor);
  return bytes ? std::min(blocks, target.sharedMemoryPerMultiprocessor / bytes) : blocks;
}

int64_t tilus::getRegisterLimit(const TargetInfo &target, const BlockShape &block, int64_t blocks) {
  if (blocks > countBlocksOfMemory(target, block))
    return 0;
  int64_t threads = blocks * getWarps(target, block) * target.warpSize;
  int64_t limit = alignDown(target.registersPerMultiprocessor / threads, kRegisterStep);
  return std::min<int64_t>(limit, target.maxRegistersPerThread);
}

int64_t tilus::countResidentBlocks(const TargetInfo &target, const BlockShape &block, int64_t registers) {
  int64_t threads = getWarps(target, block) * target.warpSize;
  int64_t taken = alignTo(std::max<int64_t>(registers, 1), kRegisterStep) * threads;
  return std::min(countBlocksOfMemory(target, block), target.registersPerMultiprocessor / taken);
}
