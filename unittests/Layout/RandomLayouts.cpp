// Random layouts and brute-force references for the layout tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomLayouts.h"

#include <algorithm>
#include <numeric>

using namespace llvm;

namespace tilus::test {

static int64_t entrySize(const RawLayout &layout, int64_t entry) {
  return entry < 0 ? -entry : layout.modeShape[entry];
}

int64_t RawLayout::getNumThreads() const {
  int64_t count = 1;
  for (int64_t entry : spatial)
    count *= entrySize(*this, entry);
  return count;
}

int64_t RawLayout::getNumLocals() const {
  int64_t count = 1;
  for (int64_t entry : local)
    count *= entrySize(*this, entry);
  return count;
}

Extents RawLayout::getIndex(int64_t thread, int64_t slot) const {
  Extents modeIndex(modeShape.size(), 0);
  for (auto [list, start] : {std::pair(&spatial, thread), std::pair(&local, slot)}) {
    int64_t rest = start;
    for (size_t i = list->size(); i-- > 0;) {
      int64_t entry = (*list)[i];
      if (entry >= 0)
        modeIndex[entry] = rest % modeShape[entry];
      rest /= entrySize(*this, entry);
    }
  }
  Extents index;
  size_t mode = 0;
  for (int64_t size : shape) {
    int64_t value = 0;
    for (int64_t filled = 1; filled < size; ++mode) {
      value = value * modeShape[mode] + modeIndex[mode];
      filled *= modeShape[mode];
    }
    index.push_back(value);
  }
  return index;
}

int64_t RandomLayouts::pickSize() {
  static constexpr int64_t sizes[] = {1, 2, 2, 2, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 16, 48, 96};
  return sizes[pick(0, std::size(sizes) - 1)];
}

void RandomLayouts::shuffle(Extents &list) {
  for (size_t i = list.size(); i-- > 1;)
    std::swap(list[i], list[pick(0, i)]);
}

RawLayout RandomLayouts::pickRaw(int rank, int64_t maxSize) {
  RawLayout layout;
  if (rank < 0)
    rank = pick(0, 5);
  int64_t total = 1;
  for (int dim = 0; dim < rank; ++dim) {
    int64_t size = 1;
    for (int64_t mode = pick(0, 3); mode > 0; --mode) {
      int64_t part = pickSize();
      if (part == 1 && layout.modeShape.empty())
        continue;
      if (total * part > maxSize)
        continue;
      layout.modeShape.push_back(part);
      size *= part;
      total *= part;
    }
    layout.shape.push_back(size);
  }
  Extents order(layout.modeShape.size());
  std::iota(order.begin(), order.end(), 0);
  if (pick(0, 2) != 0)
    shuffle(order);
  int64_t threads = 1;
  for (int64_t mode : order) {
    if (pick(0, 5) == 0) {
      int64_t replicas = pickSize();
      if (threads * replicas <= maxSize) {
        layout.spatial.push_back(-replicas);
        threads *= replicas;
      }
    }
    if (pick(0, 1) && threads * layout.modeShape[mode] <= maxSize) {
      layout.spatial.push_back(mode);
      threads *= layout.modeShape[mode];
    } else {
      layout.local.push_back(mode);
    }
  }
  return layout;
}

RegisterLayout RandomLayouts::pickLayoutOf(ArrayRef<int64_t> shape, int64_t numThreads) {
  RawLayout layout;
  layout.shape.assign(shape.begin(), shape.end());
  Extents entries;
  int64_t threads = numThreads;
  Extents spatial;
  for (int64_t size : shape) {
    while (size > 1) {
      int64_t factor = 2;
      while (size % factor != 0 || (factor * 2 <= size && size % (factor * 2) == 0 && pick(0, 3) == 0))
        ++factor;
      if (size % factor != 0)
        factor = size;
      layout.modeShape.push_back(factor);
      entries.push_back(layout.modeShape.size() - 1);
      size /= factor;
    }
  }
  shuffle(entries);
  for (int64_t mode : entries) {
    if (threads % layout.modeShape[mode] == 0 && pick(0, 3) != 0) {
      spatial.push_back(mode);
      threads /= layout.modeShape[mode];
    } else {
      layout.local.push_back(mode);
    }
  }
  if (threads > 1)
    spatial.push_back(-threads);
  if (pick(0, 1))
    shuffle(spatial);
  layout.spatial = spatial;
  return *layout.get();
}

SharedLayout RandomLayouts::pickShared(int rank, int64_t maxSize) {
  RawLayout raw = pickRaw(rank, maxSize);
  Extents order(raw.modeShape.size()), strides(raw.modeShape.size(), 0);
  std::iota(order.begin(), order.end(), 0);
  if (pick(0, 1))
    shuffle(order);
  int64_t stride = 1;
  for (size_t i = order.size(); i-- > 0;) {
    if (pick(0, 7) == 0)
      stride += pick(0, 3);
    strides[order[i]] = stride;
    stride *= raw.modeShape[order[i]];
  }
  std::optional<Swizzle> swizzle;
  if (pick(0, 1)) {
    int64_t bits = pick(1, 3);
    swizzle = Swizzle::get(pick(0, 2), bits, pick(bits, 3));
  }
  return *SharedLayout::get(raw.shape, raw.modeShape, strides, swizzle);
}

Extents RandomLayouts::pickShapeOf(int64_t size) {
  Extents shape;
  for (int64_t factor = 2; size > 1; ++factor)
    while (size % factor == 0) {
      shape.push_back(factor);
      size /= factor;
    }
  shuffle(shape);
  // Merge neighbours down to at most five dimensions, then add a few of size 1.
  while (shape.size() > 5 || (shape.size() > 1 && pick(0, 2) == 0)) {
    int64_t at = pick(0, shape.size() - 2);
    shape[at] *= shape[at + 1];
    shape.erase(shape.begin() + at + 1);
  }
  if (shape.size() < 5 && pick(0, 3) == 0)
    shape.insert(shape.begin() + pick(0, shape.size()), 1);
  return shape;
}

Extents RandomLayouts::pickShape(bool onlyPowers) {
  Extents shape;
  int64_t size = 1;
  for (int64_t rank = pick(1, onlyPowers ? 3 : 5); rank > 0; --rank) {
    int64_t extent = onlyPowers ? int64_t(1) << pick(0, 5) : pickSize();
    if (size * extent > 512)
      extent = 1;
    shape.push_back(extent);
    size *= extent;
  }
  return shape;
}

std::vector<int64_t> enumerateMap(const RegisterLayout &layout) {
  std::vector<int64_t> map;
  for (int64_t thread = 0; thread < layout.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot)
      map.push_back(linearize(layout.getIndex(thread, slot), layout.getShape()));
  return map;
}

std::vector<Extents> allIndices(ArrayRef<int64_t> shape) {
  std::vector<Extents> indices;
  int64_t size = product(shape);
  for (int64_t i = 0; i < size; ++i)
    indices.push_back(delinearize(i, shape));
  return indices;
}

} // namespace tilus::test
