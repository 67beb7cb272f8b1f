// Whether two buffers hold the same results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/ScalarFormat.h"

#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>
#include <vector>

namespace tilus {

/// Compares the elements of two buffers that held the same contents before. Integers must be equal. Floats
/// may differ by a rounding error, as sums in different orders do: by at most getTolerance() times the
/// largest of the two values and the typical magnitude of the elements that changed; infinities and NaNs must
/// be in the same places. All three have the same size. Returns the first difference in words, as in "element
/// 3 is 1.5, not 2", or nothing.
std::optional<std::string> compareElements(llvm::ArrayRef<uint8_t> actual, llvm::ArrayRef<uint8_t> expected,
                                           llvm::ArrayRef<uint8_t> before, const ScalarFormat &format);

/// 4 units in the last place for types of at most 12 bits of mantissa; 2^-((bits + 1) / 2) for wider ones, in
/// which the rounding errors of long sums of narrower products add up.
double getTolerance(const ScalarFormat &format);

} // namespace tilus
