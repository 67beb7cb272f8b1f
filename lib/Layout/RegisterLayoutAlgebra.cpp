// Algebra of register layouts: composition, division, and changes of shape.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegisterLayoutBuilder.h"
#include "Tilus/Layout/RegisterLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace tilus {

/// `sizes` with leading 1s up to `rank`.
static Extents padRank(ArrayRef<int64_t> sizes, size_t rank) {
  Extents padded(rank - sizes.size(), 1);
  padded.append(sizes.begin(), sizes.end());
  return padded;
}

/// The numbers that the modes of `from` get in `into`, after appending those of dimension `dim` to it.
static void appendDimModes(const RegisterLayoutBuilder &from, int64_t fromDim, RegisterLayoutBuilder &into,
                           int64_t intoDim, Extents &newNumber) {
  for (auto [mode, dim] : enumerate(from.modeDims))
    if (dim == fromDim)
      newNumber[mode] = into.addMode(from.modeShape[mode], intoDim);
}

/// Appends the entries of `from`, renumbered, to `into`.
static void appendEntries(ArrayRef<int64_t> from, ArrayRef<int64_t> newNumber, Extents &into) {
  for (int64_t entry : from)
    into.push_back(entry < 0 ? entry : newNumber[entry]);
}

RegisterLayout RegisterLayout::compose(const RegisterLayout &inner) const {
  RegisterLayoutBuilder a(*this), b(inner);
  int64_t rank = std::max(getRank(), inner.getRank());
  int64_t padA = rank - getRank(), padB = rank - inner.getRank();
  Extents result = padRank(shape, rank);
  for (auto [size, factor] : zip_equal(result, padRank(inner.shape, rank)))
    size *= factor;

  RegisterLayoutBuilder builder(result);
  Extents numberA(a.modeShape.size(), -1), numberB(b.modeShape.size(), -1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    appendDimModes(a, dim - padA, builder, dim, numberA);
    appendDimModes(b, dim - padB, builder, dim, numberB);
  }
  appendEntries(a.spatial, numberA, builder.spatial);
  appendEntries(b.spatial, numberB, builder.spatial);
  appendEntries(a.local, numberA, builder.local);
  appendEntries(b.local, numberB, builder.local);
  return builder.build();
}

/// The part of a layout on one side of a boundary: keeps the modes whose stride in their dimension is on that
/// side, and those entries. Returns nullopt if an entry is on one side and its mode on the other.
static std::optional<RegisterLayout> takeSide(const RegisterLayoutBuilder &whole, ArrayRef<bool> isKept,
                                              ArrayRef<int64_t> shape, ArrayRef<int64_t> spatial,
                                              ArrayRef<int64_t> local) {
  RegisterLayoutBuilder side(shape);
  Extents newNumber(whole.modeShape.size(), -1);
  for (size_t mode = 0; mode < whole.modeShape.size(); ++mode)
    if (isKept[mode])
      newNumber[mode] = side.addMode(whole.modeShape[mode], whole.modeDims[mode]);
  for (auto list : {spatial, local})
    for (int64_t entry : list)
      if (entry >= 0 && !isKept[entry])
        return std::nullopt;
  appendEntries(spatial, newNumber, side.spatial);
  appendEntries(local, newNumber, side.local);
  return side.build();
}

/// Splits `layout` into (outer, inner) with `outer.compose(inner) == layout`, where inner has the given shape
/// (of the same rank), threads and slots. There is at most one such pair.
static std::optional<std::pair<RegisterLayout, RegisterLayout>> splitLayout(const RegisterLayout &layout,
                                                                            ArrayRef<int64_t> innerShape,
                                                                            int64_t innerThreads,
                                                                            int64_t innerLocals) {
  RegisterLayoutBuilder builder(layout);
  Extents outerShape(layout.getShape());
  for (auto [dim, size] : enumerate(innerShape)) {
    if (outerShape[dim] % size != 0 || !builder.cutDim(dim, size))
      return std::nullopt;
    outerShape[dim] /= size;
  }
  // A cut that splits a mode of one list does not move the boundary of the other.
  if (!builder.cutList(builder.spatial, innerThreads) || !builder.cutList(builder.local, innerLocals))
    return std::nullopt;
  size_t spatialCut = *builder.cutList(builder.spatial, innerThreads);
  size_t localCut = *builder.cutList(builder.local, innerLocals);

  SmallVector<bool, 16> isInner(builder.modeShape.size()), isOuter(builder.modeShape.size());
  Extents strides(layout.getRank(), 1);
  for (size_t mode = builder.modeShape.size(); mode-- > 0;) {
    int64_t dim = builder.modeDims[mode];
    isInner[mode] = strides[dim] < innerShape[dim];
    isOuter[mode] = !isInner[mode];
    strides[dim] *= builder.modeShape[mode];
  }
  ArrayRef<int64_t> spatial = builder.spatial, local = builder.local;
  auto outer =
      takeSide(builder, isOuter, outerShape, spatial.take_front(spatialCut), local.take_front(localCut));
  auto inner =
      takeSide(builder, isInner, innerShape, spatial.drop_front(spatialCut), local.drop_front(localCut));
  if (!outer || !inner)
    return std::nullopt;
  return std::pair(*outer, *inner);
}

/// Whether `layout` is `part` up to leading dimensions of size 1.
static bool equalsPadded(const RegisterLayout &layout, const RegisterLayout &part) {
  return layout.getModeShape() == part.getModeShape() && layout.getSpatialModes() == part.getSpatialModes() &&
         layout.getLocalModes() == part.getLocalModes() &&
         layout.getShape() == ArrayRef<int64_t>(padRank(part.getShape(), layout.getRank()));
}

static std::string describe(const RegisterLayout &layout) {
  std::string text;
  raw_string_ostream os(text);
  layout.print(os);
  return text;
}

std::optional<RegisterLayout> RegisterLayout::divide(const RegisterLayout &inner,
                                                     ErrorCallback onError) const {
  if (inner.getRank() <= getRank()) {
    auto parts = splitLayout(*this, padRank(inner.shape, getRank()), inner.numThreads, inner.numLocals);
    if (parts && equalsPadded(parts->second, inner))
      return parts->first;
  }
  return reportError(onError, "expected a layout that is a tiling by (" + describe(inner) + "), but got (" +
                                  describe(*this) + ")");
}

std::optional<RegisterLayout> RegisterLayout::leftDivide(const RegisterLayout &outer,
                                                         ErrorCallback onError) const {
  auto divides = [](int64_t part, int64_t whole) { return whole % part == 0; };
  if (outer.getRank() <= getRank() && divides(outer.numThreads, numThreads) &&
      divides(outer.numLocals, numLocals)) {
    Extents innerShape(shape);
    bool fits = true;
    for (auto [size, factor] : zip_equal(innerShape, padRank(outer.shape, getRank()))) {
      fits &= divides(factor, size);
      size /= factor;
    }
    auto parts =
        fits ? splitLayout(*this, innerShape, numThreads / outer.numThreads, numLocals / outer.numLocals)
             : std::nullopt;
    if (parts && equalsPadded(parts->first, outer))
      return parts->second;
  }
  return reportError(onError, "expected a layout that is (" + describe(outer) +
                                  ") tiled by another, but got (" + describe(*this) + ")");
}

std::optional<RegisterLayout> RegisterLayout::permute(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  if (!checkPermutation(dims, getRank(), onError))
    return std::nullopt;
  RegisterLayoutBuilder from(*this);
  Extents newShape;
  for (int64_t dim : dims)
    newShape.push_back(shape[dim]);
  RegisterLayoutBuilder builder(newShape);
  Extents newNumber(modeShape.size(), -1);
  for (auto [newDim, dim] : enumerate(dims))
    appendDimModes(from, dim, builder, newDim, newNumber);
  appendEntries(from.spatial, newNumber, builder.spatial);
  appendEntries(from.local, newNumber, builder.local);
  return builder.build();
}

std::optional<RegisterLayout> RegisterLayout::reduce(ArrayRef<int64_t> dims, bool keepDims,
                                                     ErrorCallback onError) const {
  if (!checkDims(dims, getRank(), onError))
    return std::nullopt;
  RegisterLayoutBuilder from(*this);
  Extents newShape;
  Extents newDims(getRank());
  for (int64_t dim = 0; dim < getRank(); ++dim) {
    newDims[dim] = newShape.size();
    if (!is_contained(dims, dim))
      newShape.push_back(shape[dim]);
    else if (keepDims)
      newShape.push_back(1);
  }
  RegisterLayoutBuilder builder(newShape);
  Extents newNumber(modeShape.size(), -1);
  for (int64_t mode = 0; mode < int64_t(modeShape.size()); ++mode)
    if (!is_contained(dims, from.modeDims[mode]))
      newNumber[mode] = builder.addMode(modeShape[mode], newDims[from.modeDims[mode]]);
  for (int64_t entry : from.spatial)
    builder.spatial.push_back(entry >= 0 && newNumber[entry] >= 0 ? newNumber[entry]
                                                                  : -from.getEntrySize(entry));
  for (int64_t entry : from.local)
    if (newNumber[entry] >= 0)
      builder.local.push_back(newNumber[entry]);
  return builder.build();
}

std::optional<RegisterLayout> RegisterLayout::slice(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  return reduce(dims, /*keepDims=*/false, onError);
}

/// Whether `from` can be broadcast to `to`: sizes are equal or 1, leading dimensions may be missing.
static bool isBroadcastable(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from.size() > to.size())
    return false;
  return all_of(zip_equal(from, to.take_back(from.size())), [](auto pair) {
    auto [size, target] = pair;
    return size == target || size == 1;
  });
}

std::optional<RegisterLayout> RegisterLayout::reduceTo(ArrayRef<int64_t> target,
                                                       ErrorCallback onError) const {
  if (!isBroadcastable(target, shape))
    return reportError(onError, "expected a shape that can be broadcast to " + formatExtents(shape) +
                                    ", but got " + formatExtents(target));
  int64_t extra = getRank() - target.size();
  Extents leading(extra), unit;
  std::iota(leading.begin(), leading.end(), 0);
  for (auto [dim, size] : enumerate(target))
    if (size == 1)
      unit.push_back(dim);
  return reduce(leading, /*keepDims=*/false)->reduce(unit, /*keepDims=*/true);
}

/// A digit of the thread id of an expanded layout, in terms of the layout that it expands.
struct ExpandedDigit {
  /// The entry of the original spatial list, or a replication of `size` if the digit is not new.
  int64_t entry;
  /// The dimension whose new elements the digit walks along; -1 if it is not new.
  int64_t dim;
  int64_t size;
  /// The number of the new mode.
  int64_t mode = -1;
};

/// Shares the replicas of `spatial` out over the elements `remaining` in each dimension, the innermost
/// replicas and the innermost dimension first, and takes them off `remaining`. The digits are listed
/// outermost first.
static SmallVector<ExpandedDigit, 8> shareReplicas(ArrayRef<int64_t> spatial, Extents &remaining) {
  SmallVector<ExpandedDigit, 8> digits;
  for (int64_t entry : reverse(spatial)) {
    int64_t replicas = entry < 0 ? -entry : 1;
    for (int64_t dim = int64_t(remaining.size()) - 1; dim >= 0 && replicas > 1; --dim) {
      int64_t size = std::gcd(replicas, remaining[dim]);
      if (size == 1)
        continue;
      digits.push_back({entry, dim, size});
      remaining[dim] /= size;
      replicas /= size;
    }
    if (entry >= 0 || replicas > 1)
      digits.push_back({entry < 0 ? -replicas : entry, -1, replicas});
  }
  std::reverse(digits.begin(), digits.end());
  return digits;
}

std::optional<RegisterLayout> RegisterLayout::expandTo(ArrayRef<int64_t> target,
                                                       ErrorCallback onError) const {
  if (!isBroadcastable(shape, target) || !checkedProduct(target))
    return reportError(onError, "expected a shape that " + formatExtents(shape) +
                                    " can be broadcast to, but got " + formatExtents(target));
  int64_t rank = target.size();
  int64_t extra = rank - getRank();
  Extents remaining(target);
  for (int64_t dim = extra; dim < rank; ++dim)
    if (shape[dim - extra] == target[dim])
      remaining[dim] = 1;
  RegisterLayoutBuilder from(*this), builder(target);
  SmallVector<ExpandedDigit, 8> digits = shareReplicas(from.spatial, remaining);

  // In a new dimension, slots are outermost; the thread digits follow in their order.
  Extents newNumber(modeShape.size(), -1);
  for (int64_t dim = 0; dim < rank; ++dim) {
    appendDimModes(from, dim - extra, builder, dim, newNumber);
    builder.local.push_back(builder.addMode(remaining[dim], dim));
    for (ExpandedDigit &digit : digits)
      if (digit.dim == dim)
        digit.mode = builder.addMode(digit.size, dim);
  }
  for (const ExpandedDigit &digit : digits)
    if (digit.dim >= 0)
      builder.spatial.push_back(digit.mode);
    else
      appendEntries(digit.entry, newNumber, builder.spatial);
  appendEntries(from.local, newNumber, builder.local);
  return builder.build();
}

RegisterLayout RegisterLayout::concat(const RegisterLayout &other) const {
  RegisterLayoutBuilder builder(*this), tail(other);
  builder.shape.append(tail.shape.begin(), tail.shape.end());
  Extents newNumber;
  for (auto [size, dim] : zip_equal(tail.modeShape, tail.modeDims))
    newNumber.push_back(builder.addMode(size, dim + getRank()));
  appendEntries(tail.spatial, newNumber, builder.spatial);
  appendEntries(tail.local, newNumber, builder.local);
  return builder.build();
}

std::optional<RegisterLayout> RegisterLayout::reshape(ArrayRef<int64_t> newShape,
                                                      ErrorCallback onError) const {
  if (checkedProduct(newShape) != getSize())
    return reportError(onError, "expected a shape of " + Twine(getSize()) + " elements, but got " +
                                    formatExtents(newShape));
  // As one dimension, neighbouring modes merge; then the new boundaries cut the result.
  RegisterLayoutBuilder line(*this);
  line.shape = {getSize()};
  line.modeDims.assign(line.modeShape.size(), 0);
  RegisterLayoutBuilder builder(line.build());
  for (int64_t stride : rowMajorStrides(newShape))
    if (!builder.cutDim(0, stride))
      return reportError(onError, "expected a shape that the modes of the layout (" + describe(*this) +
                                      ") can be split into, but got " + formatExtents(newShape));
  builder.shape.assign(newShape.begin(), newShape.end());
  builder.modeDims = *assignModesToDims(builder.shape, builder.modeShape, nullptr);
  return builder.build();
}

std::optional<RegisterLayout> RegisterLayout::flatten(int64_t first, int64_t last,
                                                      ErrorCallback onError) const {
  if (first < 0 || first > last || last >= getRank())
    return reportError(onError, "expected a range of dimensions from 0 to " + Twine(getRank() - 1) +
                                    ", but got " + Twine(first) + " to " + Twine(last));
  Extents newShape(ArrayRef<int64_t>(shape).take_front(first));
  newShape.push_back(product(ArrayRef<int64_t>(shape).slice(first, last - first + 1)));
  newShape.append(shape.begin() + last + 1, shape.end());
  return reshape(newShape, onError);
}

std::optional<RegisterLayout> RegisterLayout::squeeze(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  if (!checkDims(dims, getRank(), onError))
    return std::nullopt;
  for (int64_t dim : dims)
    if (shape[dim] != 1)
      return reportError(onError, "expected dimensions of size 1, but got size " + Twine(shape[dim]) +
                                      " in dimension " + Twine(dim));
  return reduce(dims, /*keepDims=*/false);
}

std::optional<RegisterLayout> RegisterLayout::unsqueeze(ArrayRef<int64_t> dims, ErrorCallback onError) const {
  int64_t rank = getRank() + dims.size();
  if (!checkDims(dims, rank, onError))
    return std::nullopt;
  RegisterLayout result = *this;
  result.shape.clear();
  const int64_t *next = shape.begin();
  for (int64_t dim = 0; dim < rank; ++dim)
    result.shape.push_back(is_contained(dims, dim) ? 1 : *next++);
  return result;
}

} // namespace tilus
