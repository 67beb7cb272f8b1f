// Which allocation a handle to shared memory stands for, and which of its bytes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusOps.h"

namespace tilus {

/// Bytes `[begin, end)` of an allocation.
struct ByteRange {
  int64_t begin = 0;
  int64_t end = 0;

  bool overlaps(const ByteRange &other) const { return begin < other.end && other.begin < end; }
  bool operator==(const ByteRange &other) const { return begin == other.begin && end == other.end; }
};

/// Bytes that a shared tile with a layout takes up.
int64_t getSharedBytes(SharedType type);

/// The bytes of its allocation that the handle, whose type and sources have layouts, may stand for. Slices at
/// constants are exact, up to the blocks that a swizzle permutes; other indices stand for the whole source.
ByteRange getByteRange(mlir::Value handle);

/// The allocations that each handle of a kernel may stand for, through views, selections and control flow.
class SharedAliases {
public:
  explicit SharedAliases(KernelOp kernel);

  /// The allocations, in program order of discovery.
  llvm::ArrayRef<AllocSharedOp> getAllocations(mlir::Value handle) const;
  /// All handles that may stand for the allocation, itself first.
  llvm::ArrayRef<mlir::Value> getHandles(AllocSharedOp allocation) const;

private:
  llvm::DenseMap<mlir::Value, llvm::SmallVector<AllocSharedOp, 1>> allocations;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Value, 4>> handles;
};

} // namespace tilus
