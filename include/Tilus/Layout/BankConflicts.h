// Cost of a warp's access to shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/LayoutSupport.h"

namespace tilus {

/// Threads that execute together.
constexpr int64_t kWarpSize = 32;
/// Shared memory has 32 banks of 4-byte words; each serves one word a cycle, to any number of lanes.
constexpr int64_t kNumBanks = 32;
constexpr int64_t kBankBytes = 4;
/// The widest access of a lane.
constexpr int64_t kMaxAccessBytes = 16;

/// What one access of a warp costs.
struct AccessCost {
  /// Cycles in which the banks are busy.
  int64_t wavefronts = 0;
  /// Those that are due to two lanes that want different words of one bank in the same phase.
  int64_t conflicts = 0;
};

/// The cost of an access of `widthBytes` (at most 16) at the byte address of each lane; a negative address
/// stands for an inactive lane. Lanes are served in phases of as many as 128 bytes allow: all 32 up to 4
/// bytes, 16 for 8 bytes, 8 for 16 bytes. A phase takes as many cycles as the busiest bank has distinct words
/// to serve.
AccessCost countAccess(llvm::ArrayRef<int64_t> byteAddresses, int64_t widthBytes);

/// The conflicts of `countAccess`.
int64_t countBankConflicts(llvm::ArrayRef<int64_t> byteAddresses, int64_t widthBytes);

} // namespace tilus
