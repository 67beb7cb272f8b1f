// Places in shared memory for the allocations and the scratch of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Analysis/SharedAliases.h"

namespace tilus {

/// A piece of shared memory: the result of an `alloc_shared`, or the scratch of another op.
struct SharedBuffer {
  mlir::Operation *op;
  int64_t bytes;
  int64_t alignment;
  /// The time, in positions of a walk over the kernel, in which the content matters or another thread group
  /// may still be at work on it. Empty (begin > end) if it is never accessed.
  int64_t begin = 1;
  int64_t end = 0;
  int64_t offset = 0;
  /// The place is one that the allocation asks for.
  bool isPinned = false;

  bool isUsed() const { return begin <= end; }
};

/// The plan of a kernel whose tiles have layouts and whose matrix products have atoms.
struct SharedMemoryPlan {
  /// In program order.
  llvm::SmallVector<SharedBuffer> buffers;
  /// Bytes that the kernel needs.
  int64_t bytes = 0;
};

/// Computes when each buffer lives and packs those that never live together over one another, large ones
/// first, each at the lowest place beside those that ask for theirs. Thread groups that may run concurrently
/// share nothing.
SharedMemoryPlan planSharedMemory(KernelOp kernel);

/// Whether two buffers need their content at one time.
bool liveTogether(const SharedBuffer &a, const SharedBuffer &b);

} // namespace tilus
