// The shared-memory layouts that wgmma and tcgen05 accept as matrix operands.
//
// Owns their construction and their recognition. Does not own the descriptors that encode them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/SharedLayout.h"

namespace tilus {

/// Which dimension of the operand, seen as [MN, K], is contiguous.
enum class MatrixMajor { MN, K };

/// An operand layout in the terms of a matrix descriptor. With T elements in 16 bytes and S =
/// `swizzleVectors`, it is, as (sizes):(strides) with the fastest first, swizzled by S > 1 vectors of 16
/// bytes,
///   K-major          ((8, m), (T, S, k)) : ((S*T, stride), (1, T, leading))
///   MN-major, S = 1  ((T, 1, m), (8, k)) : ((1, T, stride), (T, leading))
///   MN-major, S > 1  ((T, S, m), (8, k)) : ((1, T, leading), (S*T, stride))
struct MatrixLayout {
  MatrixMajor major;
  /// Vectors of 16 bytes in a swizzled row: 1 (no swizzle), 2, 4 or 8.
  int64_t swizzleVectors;
  /// Elements in a vector of 16 bytes.
  int64_t vectorElements;
  /// Repetitions of the atom along MN and K.
  int64_t numAtomsMN;
  int64_t numAtomsK;
  /// Distances between atoms, in elements. Where an atom does not repeat, its distance is that of a compact
  /// layout.
  int64_t leadingOffset;
  int64_t strideOffset;

  /// The shared layout that this describes.
  SharedLayout getSharedLayout() const;
  /// The compact operand layout of `shape` [MN, K], or nullopt and an error unless the element size is a
  /// power of two from 4 to 32 bits, `swizzleVectors` is 1, 2, 4 or 8 and the shape is a multiple of the
  /// atom.
  static std::optional<MatrixLayout> get(llvm::ArrayRef<int64_t> shape, int64_t elementBits,
                                         MatrixMajor major, int64_t swizzleVectors,
                                         ErrorCallback onError = nullptr);
  /// The description of a shared layout of shape [MN, K] if it is an operand layout.
  static std::optional<MatrixLayout> match(const SharedLayout &layout, int64_t elementBits);
};

} // namespace tilus
