// Layouts of tiles in shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/SharedLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace tilus {

//===-- Canonical form and validation
//-----------------------------------------------------------------------===//

SharedLayout::SharedLayout(ArrayRef<int64_t> shape, ArrayRef<int64_t> modeDims, ArrayRef<int64_t> modeSizes,
                           ArrayRef<int64_t> strides, std::optional<Swizzle> swizzle)
    : shape(shape.begin(), shape.end()), swizzle(swizzle) {
  int64_t lastDim = -1;
  for (auto [dim, size, stride] : zip_equal(modeDims, modeSizes, strides)) {
    if (size == 1)
      continue;
    if (dim == lastDim && modeStrides.back() == stride * size) {
      modeShape.back() *= size;
      modeStrides.back() = stride;
      continue;
    }
    modeShape.push_back(size);
    modeStrides.push_back(stride);
    lastDim = dim;
  }
}

std::optional<SharedLayout> SharedLayout::get(ArrayRef<int64_t> shape, ArrayRef<int64_t> modeShape,
                                              ArrayRef<int64_t> modeStrides, std::optional<Swizzle> swizzle,
                                              ErrorCallback onError) {
  for (auto [what, sizes] : {std::pair("shape", shape), std::pair("mode shape", modeShape)})
    if (!checkedProduct(sizes))
      return reportError(onError, Twine("expected a ") + what +
                                      " of positive sizes with a product of at most " +
                                      Twine(kMaxLayoutSize) + ", but got " + formatExtents(sizes));
  if (modeShape.size() != modeStrides.size())
    return reportError(onError, "expected one stride for each of the modes " + formatExtents(modeShape) +
                                    ", but got " + formatExtents(modeStrides));
  int64_t last = 0;
  for (auto [size, stride] : zip_equal(modeShape, modeStrides)) {
    if (stride < 0 || stride > (kMaxLayoutSize - last) / size)
      return reportError(onError, "expected strides that are not negative and reach at most " +
                                      Twine(kMaxLayoutSize) + ", but got " + formatExtents(modeStrides));
    last += (size - 1) * stride;
  }
  std::optional<Extents> modeDims = assignModesToDims(shape, modeShape, onError);
  if (!modeDims)
    return std::nullopt;
  if (swizzle && !Swizzle::get(swizzle->base, swizzle->bits, swizzle->shift, onError))
    return std::nullopt;
  return SharedLayout(shape, *modeDims, modeShape, modeStrides, swizzle);
}

Extents SharedLayout::getModeDims() const { return *assignModesToDims(shape, modeShape, nullptr); }

//===-- Constructors
//----------------------------------------------------------------------------------------===//

SharedLayout SharedLayout::strided(ArrayRef<int64_t> shape, ArrayRef<int64_t> strides,
                                   std::optional<Swizzle> swizzle) {
  Extents dims(shape.size());
  std::iota(dims.begin(), dims.end(), 0);
  return SharedLayout(shape, dims, shape, strides, swizzle);
}

SharedLayout SharedLayout::rowMajor(ArrayRef<int64_t> shape) {
  return strided(shape, rowMajorStrides(shape));
}

SharedLayout SharedLayout::columnMajor(ArrayRef<int64_t> shape) {
  Extents strides(shape.size(), 1);
  for (size_t dim = 1; dim < shape.size(); ++dim)
    strides[dim] = strides[dim - 1] * shape[dim - 1];
  return strided(shape, strides);
}

SharedLayout SharedLayout::rowMajorSwizzle(ArrayRef<int64_t> shape, int64_t elementBits) {
  constexpr int64_t kVectorBits = 128, kChunkBits = 1024;
  // 8 rows of 16 bytes fill the 128 bytes that the banks serve at once, so the row within 8 chooses the
  // vector.
  constexpr int64_t kShift = 3;
  if (shape.size() < 2 || elementBits <= 0 || elementBits > kVectorBits || !isPowerOf2_64(elementBits) ||
      shape.back() * elementBits % kVectorBits != 0)
    return rowMajor(shape);
  int64_t rows = shape[shape.size() - 2];
  int64_t columns = shape.back();
  int64_t chunk = std::gcd(columns, kChunkBits / elementBits);
  int64_t vector = kVectorBits / elementBits;

  Extents dims, sizes, strides;
  int64_t headStride = rows * columns;
  for (size_t dim = shape.size() - 2; dim-- > 0;) {
    dims.push_back(dim);
    sizes.push_back(shape[dim]);
    strides.push_back(headStride);
    headStride *= shape[dim];
  }
  for (Extents *list : {&dims, &sizes, &strides})
    std::reverse(list->begin(), list->end());
  int64_t last = shape.size() - 1;
  dims.append({last - 1, last, last});
  sizes.append({rows, columns / chunk, chunk});
  strides.append({chunk, rows * chunk, 1});
  std::optional<Swizzle> swizzle;
  if (chunk > vector)
    swizzle = Swizzle{int64_t(Log2_64(vector)), int64_t(Log2_64(chunk / vector)), kShift};
  return SharedLayout(shape, dims, sizes, strides, swizzle);
}

//===-- The map
//---------------------------------------------------------------------------------------------===//

SmallVector<std::pair<int64_t, int64_t>, 4> SharedLayout::getDimModes(int64_t dim) const {
  SmallVector<std::pair<int64_t, int64_t>, 4> modes;
  for (auto [modeDim, size, stride] : zip_equal(getModeDims(), modeShape, modeStrides))
    if (modeDim == dim)
      modes.push_back({size, stride});
  return modes;
}

int64_t SharedLayout::getLinearOffset(ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  size_t mode = modeShape.size();
  for (size_t dim = shape.size(); dim-- > 0;) {
    int64_t rest = index[dim];
    for (int64_t filled = 1; filled < shape[dim];) {
      --mode;
      offset += rest % modeShape[mode] * modeStrides[mode];
      rest /= modeShape[mode];
      filled *= modeShape[mode];
    }
  }
  return offset;
}

int64_t SharedLayout::getOffset(ArrayRef<int64_t> index, int64_t origin) const {
  int64_t offset = origin + getLinearOffset(index);
  return swizzle ? swizzle->apply(offset) : offset;
}

int64_t SharedLayout::getCountSize() const {
  int64_t count = 1;
  for (auto [size, stride] : zip_equal(modeShape, modeStrides))
    count += (size - 1) * stride;
  return swizzle ? int64_t(alignTo(count, swizzle->getBlockSize())) : count;
}

int64_t SharedLayout::getContiguousRun(int64_t dim) const {
  SmallVector<std::pair<int64_t, int64_t>, 4> modes = getDimModes(dim);
  if (modes.empty() || modes.back().second != 1)
    return 1;
  int64_t run = modes.back().first;
  if (!swizzle)
    return run;
  // A run must stay within the bits that the swizzle leaves alone, wherever the other modes put its start.
  int64_t granule = int64_t(1) << swizzle->base;
  for (auto [size, stride] : zip_equal(modeShape, modeStrides))
    if (stride != 1)
      granule = std::gcd(granule, stride);
  return std::gcd(run, granule);
}

//===-- Changes of view
//-------------------------------------------------------------------------------------===//

std::optional<SharedLayout> SharedLayout::compose(const SharedLayout &inner, ErrorCallback onError) const {
  std::optional<Swizzle> result = inner.swizzle;
  int64_t scale = inner.getCountSize();
  if (swizzle && inner.swizzle)
    return reportError(onError, "expected at most one swizzled layout in a composition, but got two");
  if (swizzle) {
    result = swizzle->scaleUp(scale);
    if (!result)
      return reportError(onError,
                         "expected an inner layout whose size is a power of two under a swizzled layout, "
                         "but got size " +
                             Twine(scale));
  }
  int64_t rank = std::max(getRank(), inner.getRank());
  int64_t padOuter = rank - getRank(), padInner = rank - inner.getRank();
  Extents newShape(rank, 1), dims, sizes, strides;
  Extents outerDims = getModeDims(), innerDims = inner.getModeDims();
  for (int64_t dim = 0; dim < rank; ++dim) {
    for (auto [modeDim, size, stride] : zip_equal(outerDims, modeShape, modeStrides))
      if (modeDim + padOuter == dim) {
        dims.push_back(dim);
        sizes.push_back(size);
        strides.push_back(stride * scale);
      }
    for (auto [modeDim, size, stride] : zip_equal(innerDims, inner.modeShape, inner.modeStrides))
      if (modeDim + padInner == dim) {
        dims.push_back(dim);
        sizes.push_back(size);
        strides.push_back(stride);
      }
    if (dim >= padOuter)
      newShape[dim] *= shape[dim - padOuter];
    if (dim >= padInner)
      newShape[dim] *= inner.shape[dim - padInner];
  }
  return SharedLayout(newShape, dims, sizes, strides, result);
}

std::optional<SharedLayout> SharedLayout::permute(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  if (!checkPermutation(dims, getRank(), onError))
    return std::nullopt;
  return slice(dims);
}

std::optional<SharedLayout> SharedLayout::slice(ArrayRef<int64_t> keptDims, ErrorCallback onError) const {
  if (!checkDims(keptDims, getRank(), onError))
    return std::nullopt;
  Extents newShape, dims, sizes, strides;
  for (auto [newDim, dim] : enumerate(keptDims)) {
    newShape.push_back(shape[dim]);
    for (auto [size, stride] : getDimModes(dim)) {
      dims.push_back(newDim);
      sizes.push_back(size);
      strides.push_back(stride);
    }
  }
  return SharedLayout(newShape, dims, sizes, strides, swizzle);
}

std::optional<SharedLayout> SharedLayout::reshape(ArrayRef<int64_t> newShape, ErrorCallback onError) const {
  if (checkedProduct(newShape) != getSize())
    return reportError(onError, "expected a shape of " + Twine(getSize()) + " elements, but got " +
                                    formatExtents(newShape));
  // As one dimension, neighbouring modes merge; then the modes are dealt out again from the innermost on.
  SharedLayout line({getSize()}, Extents(modeShape.size(), 0), modeShape, modeStrides, swizzle);
  Extents dims, sizes, strides;
  Extents leftSizes = line.modeShape, leftStrides = line.modeStrides;
  for (int64_t dim = int64_t(newShape.size()) - 1; dim >= 0; --dim) {
    for (int64_t missing = newShape[dim]; missing > 1;) {
      int64_t size = leftSizes.back(), stride = leftStrides.back();
      int64_t part = std::gcd(size, missing);
      if (part != size && part != missing)
        return reportError(onError, "expected a shape that the modes " + formatExtents(line.modeShape) +
                                        " can be split into, but got " + formatExtents(newShape));
      dims.push_back(dim);
      sizes.push_back(part);
      strides.push_back(stride);
      missing /= part;
      leftSizes.back() /= part;
      leftStrides.back() *= part;
      if (leftSizes.back() == 1) {
        leftSizes.pop_back();
        leftStrides.pop_back();
      }
    }
  }
  for (Extents *list : {&dims, &sizes, &strides})
    std::reverse(list->begin(), list->end());
  return SharedLayout(newShape, dims, sizes, strides, swizzle);
}

std::optional<SharedLayout> SharedLayout::unsqueeze(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  int64_t rank = getRank() + dims.size();
  if (!checkDims(dims, rank, onError))
    return std::nullopt;
  SharedLayout result = *this;
  result.shape.clear();
  const int64_t *next = shape.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    result.shape.push_back(is_contained(dims, dim) ? 1 : *next++);
  return result;
}

SharedLayout SharedLayout::prependDim(int64_t count) const {
  Extents newShape{count}, dims{0}, sizes{count}, strides{getCountSize()};
  newShape.append(shape.begin(), shape.end());
  for (int64_t dim : getModeDims())
    dims.push_back(dim + 1);
  sizes.append(modeShape.begin(), modeShape.end());
  strides.append(modeStrides.begin(), modeStrides.end());
  return SharedLayout(newShape, dims, sizes, strides, swizzle);
}

std::optional<SharedLayout> SharedLayout::applySwizzle(Swizzle newSwizzle, ErrorCallback onError) const {
  if (swizzle)
    return reportError(onError, "expected a layout without swizzle, but got one that has it");
  if (!Swizzle::get(newSwizzle.base, newSwizzle.bits, newSwizzle.shift, onError))
    return std::nullopt;
  SharedLayout result = *this;
  result.swizzle = newSwizzle;
  return result;
}

hash_code hash_value(const SharedLayout &layout) {
  auto hashList = [](const Extents &list) { return hash_combine_range(list.begin(), list.end()); };
  hash_code hash =
      hash_combine(hashList(layout.shape), hashList(layout.modeShape), hashList(layout.modeStrides));
  return layout.swizzle ? hash_combine(hash, *layout.swizzle) : hash;
}

void SharedLayout::print(raw_ostream &os) const {
  os << formatExtents(shape) << ", modes " << formatExtents(modeShape) << ", strides "
     << formatExtents(modeStrides);
  if (swizzle) {
    os << ", swizzle ";
    swizzle->print(os);
  }
}

} // namespace tilus
