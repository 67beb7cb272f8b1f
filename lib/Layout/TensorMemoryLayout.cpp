// Layouts of tiles in tensor memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/TensorMemoryLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace tilus {

/// Tensor memory has 128 lanes; a warp reaches 32 of them.
static constexpr int64_t kNumLanes = 128;
static constexpr int64_t kWarpLanes = 32;
/// An address has 16 bits for the column, in words of 32 bits.
static constexpr int64_t kLaneShift = 16;
static constexpr int64_t kColumnBits = 32;

std::optional<TensorMemoryLayout> TensorMemoryLayout::get(ArrayRef<int64_t> shape,
                                                          ArrayRef<int64_t> columnStrides, int64_t laneOffset,
                                                          ErrorCallback onError) {
  if (!checkedProduct(shape))
    return reportError(onError, "expected a shape of positive sizes, but got " + formatExtents(shape));
  if (shape.empty() || !is_contained({32, 64, 128}, shape[0]))
    return reportError(onError, "expected 32, 64 or 128 lanes in dimension 0, but got the shape " +
                                    formatExtents(shape));
  if (laneOffset < 0 || laneOffset % kWarpLanes != 0 || laneOffset + shape[0] > kNumLanes)
    return reportError(onError, "expected a lane offset that is a multiple of 32 and leaves room for " +
                                    Twine(shape[0]) + " of 128 lanes, but got " + Twine(laneOffset));
  if (columnStrides.size() != shape.size() || columnStrides[0] != 0)
    return reportError(onError,
                       "expected a column stride for each dimension and 0 for dimension 0, but got " +
                           formatExtents(columnStrides));
  int64_t last = 0;
  for (auto [size, stride] : zip_equal(shape, columnStrides)) {
    if (stride < 0 || stride > (kMaxLayoutSize - last) / size)
      return reportError(onError, "expected column strides that are not negative and reach at most " +
                                      Twine(kMaxLayoutSize) + ", but got " + formatExtents(columnStrides));
    last += (size - 1) * stride;
  }
  TensorMemoryLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  for (auto [size, stride] : zip_equal(shape, columnStrides))
    layout.columnStrides.push_back(size == 1 ? 0 : stride);
  layout.laneOffset = laneOffset;
  return layout;
}

std::optional<TensorMemoryLayout> TensorMemoryLayout::rowMajor(ArrayRef<int64_t> shape,
                                                               ErrorCallback onError) {
  if (!checkedProduct(shape))
    return reportError(onError, "expected a shape of positive sizes, but got " + formatExtents(shape));
  Extents strides = rowMajorStrides(shape);
  if (!strides.empty())
    strides[0] = 0;
  return get(shape, strides, 0, onError);
}

int64_t TensorMemoryLayout::getElementOffset(ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (auto [i, stride] : zip_equal(index, columnStrides))
    offset += i * stride;
  return offset;
}

int64_t TensorMemoryLayout::getCountSize() const {
  int64_t count = 1;
  for (auto [size, stride] : zip_equal(shape, columnStrides))
    count += (size - 1) * stride;
  return count;
}

int64_t TensorMemoryLayout::getNumColumns(int64_t elementBits) const {
  return divideCeil(getCountSize() * elementBits, kColumnBits);
}

int64_t TensorMemoryLayout::getAddress(ArrayRef<int64_t> index, int64_t elementBits) const {
  return ((laneOffset + index[0]) << kLaneShift) + getElementOffset(index) * elementBits / kColumnBits;
}

std::optional<TensorMemoryLayout> TensorMemoryLayout::slice(ArrayRef<int64_t> offsets,
                                                            ArrayRef<int64_t> keptDims,
                                                            ArrayRef<int64_t> newShape,
                                                            ErrorCallback onError) const {
  if (!checkDims(keptDims, getRank(), onError))
    return std::nullopt;
  if (keptDims.empty() || keptDims[0] != 0)
    return reportError(onError, "expected a view that keeps dimension 0, but got " + formatExtents(keptDims));
  if (offsets.size() != shape.size() || newShape.size() != keptDims.size())
    return reportError(onError, "expected " + Twine(shape.size()) + " offsets and " + Twine(keptDims.size()) +
                                    " sizes, but got " + formatExtents(offsets) + " and " +
                                    formatExtents(newShape));
  Extents ends(offsets);
  for (int64_t &end : ends)
    ++end;
  Extents strides;
  for (auto [dim, size] : zip_equal(keptDims, newShape)) {
    ends[dim] = offsets[dim] + size;
    strides.push_back(columnStrides[dim]);
  }
  for (auto [offset, end, size] : zip_equal(offsets, ends, shape))
    if (offset < 0 || end > size)
      return reportError(onError, "expected a view within the shape " + formatExtents(shape) +
                                      ", but got offsets " + formatExtents(offsets) + " and sizes " +
                                      formatExtents(newShape));
  return get(newShape, strides, laneOffset + offsets[0], onError);
}

hash_code hash_value(const TensorMemoryLayout &layout) {
  return hash_combine(hash_combine_range(layout.shape.begin(), layout.shape.end()),
                      hash_combine_range(layout.columnStrides.begin(), layout.columnStrides.end()),
                      layout.laneOffset);
}

void TensorMemoryLayout::print(raw_ostream &os) const {
  os << formatExtents(shape) << ", strides " << formatExtents(columnStrides) << ", lane " << laneOffset;
}

} // namespace tilus
