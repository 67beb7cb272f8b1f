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

/// The matrix instruction m16n8k32 on 8-bit floats with sums in f32. `a` and `b` are 'e4m3' or 'e5m2'; the
/// operands are four, two and four registers, the result a struct of four f32.
mlir::Value createMmaF8(mlir::OpBuilder &builder, mlir::Location loc, llvm::StringRef a, llvm::StringRef b,
                        mlir::ValueRange operands);

} // namespace tilus
