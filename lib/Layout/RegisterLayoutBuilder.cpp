// Canonical form of register layouts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RegisterLayoutBuilder.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilus {

RegisterLayoutBuilder::RegisterLayoutBuilder(const RegisterLayout &layout)
    : shape(layout.shape), modeShape(layout.modeShape), spatial(layout.spatialModes),
      local(layout.localModes) {
  int64_t dim = 0;
  int64_t filled = 1;
  for (int64_t size : modeShape) {
    while (filled == shape[dim]) {
      ++dim;
      filled = 1;
    }
    filled *= size;
    modeDims.push_back(dim);
  }
}

int64_t RegisterLayoutBuilder::addMode(int64_t size, int64_t dim) {
  modeShape.push_back(size);
  modeDims.push_back(dim);
  return modeShape.size() - 1;
}

void RegisterLayoutBuilder::splitMode(int64_t mode, int64_t innerSize) {
  modeShape[mode] /= innerSize;
  modeShape.insert(modeShape.begin() + mode + 1, innerSize);
  modeDims.insert(modeDims.begin() + mode + 1, modeDims[mode]);
  for (Extents *list : {&spatial, &local}) {
    for (int64_t &entry : *list)
      if (entry > mode)
        ++entry;
    auto it = find(*list, mode);
    if (it != list->end())
      list->insert(it + 1, mode + 1);
  }
}

bool RegisterLayoutBuilder::cutDim(int64_t dim, int64_t stride) {
  int64_t inner = 1;
  for (size_t mode = modeShape.size(); mode-- > 0;) {
    if (modeDims[mode] != dim)
      continue;
    if (inner >= stride)
      return inner == stride;
    int64_t outer = inner * modeShape[mode];
    if (outer > stride) {
      if (stride % inner != 0 || modeShape[mode] % (stride / inner) != 0)
        return false;
      splitMode(mode, stride / inner);
      return true;
    }
    inner = outer;
  }
  return inner == stride;
}

std::optional<size_t> RegisterLayoutBuilder::cutList(Extents &list, int64_t stride) {
  int64_t inner = 1;
  for (size_t i = list.size(); i-- > 0;) {
    if (inner == stride)
      return i + 1;
    int64_t size = getEntrySize(list[i]);
    if (inner * size > stride) {
      int64_t part = stride / inner;
      if (stride % inner != 0 || size % part != 0)
        return std::nullopt;
      if (list[i] < 0) {
        list[i] = -(size / part);
        list.insert(list.begin() + i + 1, -part);
      } else {
        splitMode(list[i], part);
      }
      return i + 1;
    }
    inner *= size;
  }
  if (inner != stride)
    return std::nullopt;
  return 0;
}

void RegisterLayoutBuilder::renumber(ArrayRef<int64_t> newNumber) {
  for (Extents *list : {&spatial, &local})
    for (int64_t &entry : *list)
      if (entry >= 0)
        entry = newNumber[entry];
}

void RegisterLayoutBuilder::dropUnitModes() {
  auto isUnit = [&](int64_t entry) { return getEntrySize(entry) == 1; };
  erase_if(spatial, isUnit);
  erase_if(local, isUnit);
  Extents newNumber(modeShape.size(), -1);
  size_t kept = 0;
  for (size_t mode = 0; mode < modeShape.size(); ++mode) {
    if (modeShape[mode] == 1)
      continue;
    newNumber[mode] = kept;
    modeShape[kept] = modeShape[mode];
    modeDims[kept++] = modeDims[mode];
  }
  modeShape.truncate(kept);
  modeDims.truncate(kept);
  renumber(newNumber);
}

void RegisterLayoutBuilder::mergeReplications() {
  size_t kept = 0;
  for (int64_t entry : spatial) {
    if (entry < 0 && kept > 0 && spatial[kept - 1] < 0)
      spatial[kept - 1] = -(spatial[kept - 1] * entry);
    else
      spatial[kept++] = entry;
  }
  spatial.truncate(kept);
}

void RegisterLayoutBuilder::mergeModes() {
  // A mode joins the one before it if they are neighbours in their dimension and in their list.
  SmallVector<bool, 16> joins(modeShape.size(), false);
  for (Extents *list : {&spatial, &local})
    for (size_t i = 1; i < list->size(); ++i) {
      int64_t outer = (*list)[i - 1], inner = (*list)[i];
      if (outer >= 0 && inner == outer + 1 && modeDims[outer] == modeDims[inner])
        joins[inner] = true;
    }
  auto isJoined = [&](int64_t entry) { return entry >= 0 && joins[entry]; };
  erase_if(spatial, isJoined);
  erase_if(local, isJoined);
  Extents newNumber(modeShape.size(), -1);
  size_t kept = 0;
  for (size_t mode = 0; mode < modeShape.size(); ++mode) {
    if (joins[mode]) {
      modeShape[kept - 1] *= modeShape[mode];
      continue;
    }
    newNumber[mode] = kept;
    modeShape[kept] = modeShape[mode];
    modeDims[kept++] = modeDims[mode];
  }
  modeShape.truncate(kept);
  modeDims.truncate(kept);
  renumber(newNumber);
}

RegisterLayout RegisterLayoutBuilder::build() {
  dropUnitModes();
  mergeReplications();
  mergeModes();
  RegisterLayout layout;
  for (int64_t entry : spatial)
    layout.numThreads *= getEntrySize(entry);
  for (int64_t entry : local)
    layout.numLocals *= getEntrySize(entry);
  layout.shape = std::move(shape);
  layout.modeShape = std::move(modeShape);
  layout.spatialModes = std::move(spatial);
  layout.localModes = std::move(local);
  return layout;
}

} // namespace tilus
