// Tensors made from a rule; the same values on every machine.
//
// Random values come from the words w(n) = mix(seed + (n + 1) * 0x9e3779b97f4a7c15) modulo 2^64, n from 0,
// where mix is SplitMix64's output function:
//   z ^= z >> 30; z *= 0xbf58476d1ce4e5b9; z ^= z >> 27; z *= 0x94d049bb133111eb; z ^= z >> 31.
// The value of element i, in row-major order:
//   zeros, ones  0, 1
//   arange       i
//   rand         the top p bits of w(i) divided by 2^p: uniform in [0, 1) and exact in the element type,
//   since p
//                is its mantissa bits plus one, or fewer where the smallest subnormal is coarser than that
//   randn        the sum of the twelve 32-bit halves h of w(6i) to w(6i + 5), each taken as (h + 0.5) / 2^32,
//                minus 6, rounded to the element type: mean 0, variance 1, nearly normal, within -6 and 6
//   randint      low + floor(w(i) * (high - low) / 2^64)
// Values out of range wrap in integer types and become what an overflow becomes in float types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Tools/HostTensor.h"

namespace tilus {

enum class GeneratorKind : uint8_t { Zeros, Ones, Arange, Rand, Randn, Randint };

/// What to make.
struct TensorRecipe {
  GeneratorKind kind = GeneratorKind::Zeros;
  llvm::SmallVector<int64_t, 4> shape;
  ScalarFormat format;
  uint64_t seed = 0;
  /// The range [low, high) of randint.
  int64_t low = 0;
  int64_t high = 2;
};

/// Makes the tensor. Fails where there is no memory for it, where rand or randn is asked of a type that is no
/// float, and where the range of randint is empty.
llvm::Expected<HostTensor> generateTensor(const TensorRecipe &recipe);

} // namespace tilus
