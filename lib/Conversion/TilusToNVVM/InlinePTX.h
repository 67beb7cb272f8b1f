// Instructions that NVVM has no operation for, as PTX text. No other file holds PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/IR/TilusEnums.h"
#include "mlir/IR/Builders.h"

namespace tilus {

/// Loads words from global or shared memory; zeros where `mask` (i1, may be null) is false.
llvm::SmallVector<mlir::Value> createPredicatedLoad(mlir::OpBuilder &builder, mlir::Location loc,
                                                    mlir::Value pointer, mlir::Type word, int64_t words,
                                                    mlir::Value mask, CacheHint cache);
/// Stores words where `mask` (i1, may be null) is true.
void createPredicatedStore(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value pointer,
                           mlir::ValueRange words, mlir::Value mask, CacheHint cache);

/// Copies 4, 8 or 16 bytes from global to shared memory asynchronously, and zeros where `mask` (i1, may be
/// null) is false; with a `size` (i32, may be null) instead, so many bytes and then zeros.
void createCopyAsync(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value dest, mlir::Value source,
                     int64_t bytes, mlir::Value mask, mlir::Value size);

/// The matrix instruction m16n8k32 on 8-bit floats with sums in f32. `a` and `b` are 'e4m3' or 'e5m2'; the
/// operands are four, two and four registers, the result a struct of four f32.
mlir::Value createMmaF8(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef a, llvm::StringRef b,
                        mlir::ValueRange operands);

/// An atomic update of one element of 16 to 64 bits. The back end's atomic operations know neither orders nor
/// scopes.
struct AtomicUpdate {
  AtomicKind kind;
  MemoryOrder order;
  MemoryScope scope;
  /// Whether what was there before is wanted.
  bool isRead;
};

/// Updates where `mask` (i1, may be null) is true, and gives what was there; zero where it is false, null if
/// it is not wanted. `compare` goes with `cas` alone.
mlir::Value createAtomic(mlir::OpBuilder &builder, mlir::Location loc, const AtomicUpdate &update,
                         mlir::Value pointer, mlir::Value value, mlir::Value compare, mlir::Value mask);

} // namespace tilus
