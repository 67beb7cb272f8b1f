// The shared-memory layouts that wgmma and tcgen05 accept as matrix operands.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/MatrixLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace tilus {

/// Rows of an atom across its contiguous dimension.
static constexpr int64_t kAtomRows = 8;
static constexpr int64_t kVectorBits = 128;
/// The vector within a swizzled row is chosen by the row of the atom, three bits above it.
static constexpr int64_t kSwizzleShift = 3;

SharedLayout MatrixLayout::getSharedLayout() const {
  int64_t run = vectorElements * swizzleVectors;
  Extents shape, modes, strides;
  if (major == MatrixMajor::K) {
    shape = {kAtomRows * numAtomsMN, run * numAtomsK};
    modes = {numAtomsMN, kAtomRows, numAtomsK, run};
    strides = {strideOffset, run, leadingOffset, 1};
  } else {
    shape = {run * numAtomsMN, kAtomRows * numAtomsK};
    modes = {numAtomsMN, run, numAtomsK, kAtomRows};
    strides = swizzleVectors == 1 ? Extents{strideOffset, 1, leadingOffset, run}
                                  : Extents{leadingOffset, 1, strideOffset, run};
  }
  std::optional<Swizzle> swizzle;
  if (swizzleVectors > 1)
    swizzle = Swizzle{int64_t(Log2_64(vectorElements)), int64_t(Log2_64(swizzleVectors)), kSwizzleShift};
  return *SharedLayout::get(shape, modes, strides, swizzle);
}

std::optional<MatrixLayout> MatrixLayout::get(ArrayRef<int64_t> shape, int64_t elementBits, MatrixMajor major,
                                              int64_t swizzleVectors, ErrorCallback onError) {
  if (!is_contained({4, 8, 16, 32}, elementBits))
    return reportError(onError,
                       "expected operand elements of 4, 8, 16 or 32 bits, but got " + Twine(elementBits));
  if (!is_contained({1, 2, 4, 8}, swizzleVectors))
    return reportError(onError,
                       "expected a swizzle of 1, 2, 4 or 8 vectors, but got " + Twine(swizzleVectors));
  int64_t vectorElements = kVectorBits / elementBits;
  int64_t run = vectorElements * swizzleVectors;
  Extents atom = major == MatrixMajor::K ? Extents{kAtomRows, run} : Extents{run, kAtomRows};
  if (shape.size() != 2 || !checkedProduct(shape) || shape[0] % atom[0] != 0 || shape[1] % atom[1] != 0)
    return reportError(onError, "expected an operand shape that is a multiple of " + formatExtents(atom) +
                                    ", but got " + formatExtents(shape));
  MatrixLayout layout{major, swizzleVectors, vectorElements, shape[0] / atom[0], shape[1] / atom[1], 0, 0};
  int64_t atomElements = kAtomRows * run;
  layout.strideOffset = atomElements;
  bool isPlainMN = major == MatrixMajor::MN && swizzleVectors == 1;
  layout.leadingOffset =
      atomElements * (major == MatrixMajor::K || isPlainMN ? layout.numAtomsMN : layout.numAtomsK);
  return layout;
}

std::optional<MatrixLayout> MatrixLayout::match(const SharedLayout &layout, int64_t elementBits) {
  for (MatrixMajor major : {MatrixMajor::MN, MatrixMajor::K})
    for (int64_t swizzleVectors : {1, 2, 4, 8}) {
      std::optional<MatrixLayout> result = get(layout.getShape(), elementBits, major, swizzleVectors);
      if (!result)
        continue;
      // Read the distances off the layout; it is of this kind if they reproduce it.
      int64_t run = result->vectorElements * swizzleVectors;
      int64_t atomMN = major == MatrixMajor::K ? kAtomRows : run;
      int64_t atomK = major == MatrixMajor::K ? run : kAtomRows;
      bool leadingIsMN = major == MatrixMajor::MN && swizzleVectors > 1;
      int64_t &offsetMN = leadingIsMN ? result->leadingOffset : result->strideOffset;
      int64_t &offsetK = leadingIsMN ? result->strideOffset : result->leadingOffset;
      if (result->numAtomsMN > 1)
        offsetMN = layout.getLinearOffset({atomMN, 0});
      if (result->numAtomsK > 1)
        offsetK = layout.getLinearOffset({0, atomK});
      if (result->getSharedLayout() == layout)
        return result;
    }
  return std::nullopt;
}

} // namespace tilus
