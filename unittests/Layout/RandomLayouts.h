// Random layouts and brute-force references for the layout tests.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Layout/RegisterLayout.h"
#include "Tilus/Layout/SharedLayout.h"

#include <random>
#include <vector>

namespace tilus::test {

/// The parts of a register layout as a user would write them, before canonicalisation.
struct RawLayout {
  Extents shape, modeShape, spatial, local;

  std::optional<RegisterLayout> get() const { return RegisterLayout::get(shape, modeShape, spatial, local); }
  int64_t getNumThreads() const;
  int64_t getNumLocals() const;
  /// The element in `slot` of `thread`, straight from the definition.
  Extents getIndex(int64_t thread, int64_t slot) const;
};

/// A deterministic source of layouts.
class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  /// A number from `low` to `high`, inclusive.
  int64_t pick(int64_t low, int64_t high) { return low + int64_t(engine() % uint64_t(high - low + 1)); }
  /// A mode size; 2 is the most frequent, 1, 3, 5, 6, 7 and larger ones appear.
  int64_t pickSize();
  void shuffle(Extents &list);
  /// A layout of `rank` dimensions (random from 0 to 5 if negative) of up to `maxSize` elements and threads.
  RawLayout pickRaw(int rank = -1, int64_t maxSize = 128);
  RegisterLayout pickLayout(int rank = -1, int64_t maxSize = 128) { return *pickRaw(rank, maxSize).get(); }
  /// A layout of the given shape and number of threads.
  RegisterLayout pickLayoutOf(llvm::ArrayRef<int64_t> shape, int64_t numThreads);
  /// A distinct-offset or overlapping shared layout, swizzled one time in two.
  SharedLayout pickShared(int rank = -1, int64_t maxSize = 128);
  /// A shape with `size` elements.
  Extents pickShapeOf(int64_t size);

  /// A shape of up to 512 elements: of up to 3 powers of two, or of up to 5 sizes of any kind.
  Extents pickShape(bool onlyPowers);

private:
  std::mt19937 engine;
};

/// The whole map of a layout as a list of row-major element numbers, thread by thread.
std::vector<int64_t> enumerateMap(const RegisterLayout &layout);

/// All indices of a shape in row-major order.
std::vector<Extents> allIndices(llvm::ArrayRef<int64_t> shape);

} // namespace tilus::test
