// Register layouts: validation, constructors and the map between elements and (thread, slot).
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/RegisterLayout.h"

#include "RegisterLayoutBuilder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <numeric>

using namespace llvm;

namespace tilus {

//===-- Validation
//------------------------------------------------------------------------------------------===//

/// Checks that the two lists use each of the `numModes` modes exactly once, and replications only in the
/// first.
static bool checkModeLists(int64_t numModes, ArrayRef<int64_t> spatialModes, ArrayRef<int64_t> localModes,
                           ErrorCallback onError) {
  SmallVector<int64_t, 8> uses(numModes, 0);
  for (auto [list, isSpatial] : {std::pair(spatialModes, true), std::pair(localModes, false)})
    for (int64_t entry : list) {
      if (entry < 0 && isSpatial)
        continue;
      if (entry < 0 || entry >= numModes) {
        reportError(onError, Twine("expected ") + (isSpatial ? "spatial" : "local") + " modes below " +
                                 Twine(numModes) + ", but got " + formatExtents(list));
        return false;
      }
      ++uses[entry];
    }
  for (auto [mode, count] : enumerate(uses))
    if (count != 1) {
      reportError(onError, "expected each mode to be used once, but got " + Twine(count) + " uses of mode " +
                               Twine(mode));
      return false;
    }
  return true;
}

std::optional<RegisterLayout> RegisterLayout::get(ArrayRef<int64_t> shape, ArrayRef<int64_t> modeShape,
                                                  ArrayRef<int64_t> spatialModes,
                                                  ArrayRef<int64_t> localModes, ErrorCallback onError) {
  for (auto [what, sizes] : {std::pair("shape", shape), std::pair("mode shape", modeShape)})
    if (!checkedProduct(sizes))
      return reportError(onError, Twine("expected a ") + what +
                                      " of positive sizes with a product of at most " +
                                      Twine(kMaxLayoutSize) + ", but got " + formatExtents(sizes));
  std::optional<Extents> modeDims = assignModesToDims(shape, modeShape, onError);
  if (!modeDims || !checkModeLists(modeShape.size(), spatialModes, localModes, onError))
    return std::nullopt;

  RegisterLayoutBuilder builder(shape);
  builder.modeShape.assign(modeShape.begin(), modeShape.end());
  builder.modeDims = std::move(*modeDims);
  builder.spatial.assign(spatialModes.begin(), spatialModes.end());
  builder.local.assign(localModes.begin(), localModes.end());
  Extents threadShape;
  for (int64_t entry : spatialModes)
    threadShape.push_back(entry < -kMaxLayoutSize ? 0 : builder.getEntrySize(entry));
  if (!checkedProduct(threadShape))
    return reportError(onError, "expected at most " + Twine(kMaxLayoutSize) +
                                    " threads, but got the spatial modes " + formatExtents(spatialModes));
  return builder.build();
}

//===-- Constructors
//----------------------------------------------------------------------------------------===//

/// The dimensions in the order of their ranks, outermost first.
static Extents orderByRank(size_t rank, ArrayRef<int64_t> ranks) {
  Extents order(rank);
  std::iota(order.begin(), order.end(), 0);
  if (!ranks.empty())
    sort(order, [&](int64_t a, int64_t b) { return std::pair(ranks[a], a) < std::pair(ranks[b], b); });
  return order;
}

RegisterLayout RegisterLayout::spatial(ArrayRef<int64_t> shape, ArrayRef<int64_t> ranks) {
  RegisterLayoutBuilder builder(shape);
  for (auto [dim, size] : enumerate(shape))
    builder.addMode(size, dim);
  builder.spatial = orderByRank(shape.size(), ranks);
  return builder.build();
}

RegisterLayout RegisterLayout::local(ArrayRef<int64_t> shape, ArrayRef<int64_t> ranks) {
  RegisterLayoutBuilder builder(shape);
  for (auto [dim, size] : enumerate(shape))
    builder.addMode(size, dim);
  builder.local = orderByRank(shape.size(), ranks);
  return builder.build();
}

static Extents columnRanks(size_t rank) {
  Extents ranks(rank);
  std::iota(ranks.rbegin(), ranks.rend(), 0);
  return ranks;
}

RegisterLayout RegisterLayout::columnSpatial(ArrayRef<int64_t> shape) {
  return spatial(shape, columnRanks(shape.size()));
}

RegisterLayout RegisterLayout::columnLocal(ArrayRef<int64_t> shape) {
  return local(shape, columnRanks(shape.size()));
}

RegisterLayout RegisterLayout::replicated(ArrayRef<int64_t> shape, int64_t numThreads) {
  RegisterLayoutBuilder builder(shape);
  builder.spatial.push_back(-numThreads);
  for (auto [dim, size] : enumerate(shape))
    builder.local.push_back(builder.addMode(size, dim));
  return builder.build();
}

RegisterLayout RegisterLayout::autoLocalSpatial(int64_t numThreads, ArrayRef<int64_t> shape) {
  return distribute(numThreads, shape, int64_t(shape.size()) - 1, 1);
}

RegisterLayout RegisterLayout::distribute(int64_t numThreads, ArrayRef<int64_t> shape, int64_t vectorDim,
                                          int64_t vectorSize) {
  int64_t rank = shape.size();
  // The dimensions in the order in which they receive threads: the vector dimension, then from the last
  // backwards.
  Extents order;
  if (vectorDim >= 0 && vectorDim < rank)
    order.push_back(vectorDim);
  for (int64_t dim = rank - 1; dim >= 0; --dim)
    if (dim != vectorDim)
      order.push_back(dim);

  Extents vectors(rank, 1), threads(rank, 1);
  int64_t remaining = numThreads;
  for (int64_t dim : order) {
    if (dim == vectorDim)
      vectors[dim] = std::gcd(std::max<int64_t>(vectorSize, 1), shape[dim]);
    threads[dim] = std::gcd(remaining, shape[dim] / vectors[dim]);
    remaining /= threads[dim];
  }

  RegisterLayoutBuilder builder(shape);
  for (int64_t dim = 0; dim < rank; ++dim) {
    builder.addMode(shape[dim] / vectors[dim] / threads[dim], dim);
    builder.addMode(threads[dim], dim);
    builder.addMode(vectors[dim], dim);
    builder.local.push_back(3 * dim);
  }
  builder.spatial.push_back(-remaining);
  for (int64_t dim : reverse(order))
    builder.spatial.push_back(3 * dim + 1);
  for (int64_t dim = 0; dim < rank; ++dim)
    builder.local.push_back(3 * dim + 2);
  return builder.build();
}

//===-- The map
//---------------------------------------------------------------------------------------------===//

SmallVector<LayoutDigit, 6> RegisterLayout::getDigits(ArrayRef<int64_t> modes) const {
  // The dimension of each mode, and its stride in that dimension.
  SmallVector<std::pair<int64_t, int64_t>, 8> places(modeShape.size());
  int64_t dim = int64_t(shape.size()) - 1;
  int64_t stride = 1;
  for (size_t mode = modeShape.size(); mode-- > 0;) {
    while (stride == shape[dim]) {
      --dim;
      stride = 1;
    }
    places[mode] = {dim, stride};
    stride *= modeShape[mode];
  }

  SmallVector<LayoutDigit, 6> digits(modes.size());
  int64_t position = 1;
  for (size_t i = modes.size(); i-- > 0;) {
    int64_t mode = modes[i];
    if (mode < 0)
      digits[i] = {-mode, position, -1, 0};
    else
      digits[i] = {modeShape[mode], position, places[mode].first, places[mode].second};
    position *= digits[i].size;
  }
  return digits;
}

int64_t RegisterLayout::getReplication() const {
  int64_t replication = 1;
  for (int64_t mode : spatialModes)
    if (mode < 0)
      replication *= -mode;
  return replication;
}

int64_t RegisterLayout::getContiguousRun(int64_t dim) const {
  if (localModes.empty())
    return 1;
  LayoutDigit innermost = getLocalDigits().back();
  return innermost.dim == dim && innermost.indexStride == 1 ? innermost.size : 1;
}

Extents RegisterLayout::getIndex(int64_t thread, int64_t slot) const {
  Extents index(shape.size(), 0);
  for (auto [modes, position] : {std::pair(&spatialModes, thread), std::pair(&localModes, slot)})
    for (const LayoutDigit &digit : getDigits(*modes))
      if (!digit.isReplication())
        index[digit.dim] += (position / digit.stride) % digit.size * digit.indexStride;
  return index;
}

/// The position (thread or slot) whose digits hold the element; replication digits are zero.
static int64_t locate(ArrayRef<LayoutDigit> digits, ArrayRef<int64_t> index) {
  int64_t position = 0;
  for (const LayoutDigit &digit : digits)
    if (!digit.isReplication())
      position += index[digit.dim] / digit.indexStride % digit.size * digit.stride;
  return position;
}

int64_t RegisterLayout::getLocal(ArrayRef<int64_t> index) const { return locate(getLocalDigits(), index); }

int64_t RegisterLayout::getRepresentativeThread(ArrayRef<int64_t> index) const {
  return locate(getSpatialDigits(), index);
}

SmallVector<int64_t> RegisterLayout::getThreads(ArrayRef<int64_t> index) const {
  SmallVector<LayoutDigit, 6> digits = getSpatialDigits();
  SmallVector<int64_t> threads{locate(digits, index)};
  // From the outermost digit inwards, so that the list stays in ascending order.
  for (const LayoutDigit &digit : digits) {
    if (!digit.isReplication())
      continue;
    SmallVector<int64_t> copies;
    copies.reserve(threads.size() * digit.size);
    for (int64_t thread : threads)
      for (int64_t replica = 0; replica < digit.size; ++replica)
        copies.push_back(thread + replica * digit.stride);
    threads = std::move(copies);
  }
  return threads;
}

bool RegisterLayout::isRepresentative(int64_t thread) const {
  return all_of(getSpatialDigits(), [&](const LayoutDigit &digit) {
    return !digit.isReplication() || (thread / digit.stride) % digit.size == 0;
  });
}

bool RegisterLayout::covers(const RegisterLayout &other) const {
  if (shape != other.shape || numThreads != other.numThreads)
    return false;
  // A thread must hold the part of the index that each of its digits stands for: the digit of `this` must be
  // a clean part of one digit of `other`, at the same place in the thread id and in the dimension.
  SmallVector<LayoutDigit, 6> otherDigits = other.getSpatialDigits();
  return all_of(getSpatialDigits(), [&](const LayoutDigit &mine) {
    return mine.isReplication() || any_of(otherDigits, [&](const LayoutDigit &theirs) {
             int64_t offset = mine.stride / theirs.stride;
             return theirs.dim == mine.dim && mine.stride % theirs.stride == 0 &&
                    mine.indexStride == theirs.indexStride * offset &&
                    theirs.size % (offset * mine.size) == 0;
           });
  });
}

hash_code hash_value(const RegisterLayout &layout) {
  auto hashList = [](const Extents &list) { return hash_combine_range(list.begin(), list.end()); };
  return hash_combine(hashList(layout.shape), hashList(layout.modeShape), hashList(layout.spatialModes),
                      hashList(layout.localModes));
}

void RegisterLayout::print(raw_ostream &os) const {
  os << formatExtents(shape) << ", modes " << formatExtents(modeShape) << ", spatial "
     << formatExtents(spatialModes) << ", local " << formatExtents(localModes);
}

} // namespace tilus
