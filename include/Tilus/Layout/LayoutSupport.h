// Shared vocabulary of the layout library: extents, error callbacks, mixed-radix helpers.
//
// Owns the integer helpers that every layout uses. Does not own any layout.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tilus {

/// A list of sizes, strides, indices or mode numbers.
using Extents = llvm::SmallVector<int64_t, 6>;

/// Receives the text of a user error. A null callback means that the caller only wants to know whether it
/// worked.
using ErrorCallback = llvm::function_ref<void(const llvm::Twine &)>;

/// The largest number of elements, threads or slots that a layout may describe.
constexpr int64_t kMaxLayoutSize = int64_t(1) << 40;

/// Hands `message` to `onError` if there is one. Always returns nullopt, so that callers can return it.
std::nullopt_t reportError(ErrorCallback onError, const llvm::Twine &message);

/// The product of `sizes`; 1 for an empty list. The sizes must be validated: no overflow check.
int64_t product(llvm::ArrayRef<int64_t> sizes);

/// The product of positive `sizes`, or nullopt if one is not positive or the product exceeds kMaxLayoutSize.
std::optional<int64_t> checkedProduct(llvm::ArrayRef<int64_t> sizes);

/// The row-major strides of `shape`: the last dimension has stride 1.
Extents rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The row-major position of `index` in `shape`.
int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> shape);

/// The inverse of `linearize`: the index whose row-major position in `shape` is `position`.
Extents delinearize(int64_t position, llvm::ArrayRef<int64_t> shape);

/// `values` as `[1, 2, 3]`, for messages and printing.
std::string formatExtents(llvm::ArrayRef<int64_t> values);

/// Reports an error and returns false unless `dims` is a permutation of 0 to rank-1.
bool checkPermutation(llvm::ArrayRef<int64_t> dims, int64_t rank, ErrorCallback onError);

/// Reports an error and returns false unless `dims` are distinct and within 0 to rank-1.
bool checkDims(llvm::ArrayRef<int64_t> dims, int64_t rank, ErrorCallback onError);

/// The dimension that each mode of `modeShape` belongs to, where consecutive modes multiply up to the sizes
/// of `shape` from left to right. Size-1 modes belong to the dimension being filled. Returns nullopt with an
/// error if the modes do not refine the shape. Both lists must hold positive sizes.
std::optional<Extents> assignModesToDims(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> modeShape,
                                         ErrorCallback onError);

} // namespace tilus
