// The algebra of register layouts against brute force on the maps.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <chrono>
#include <map>
#include <numeric>
#include <set>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

static constexpr int kTrials = 10000;

static Extents padded(ArrayRef<int64_t> values, size_t rank, int64_t fill) {
  Extents result(rank - values.size(), fill);
  result.append(values.begin(), values.end());
  return result;
}

/// Elements, thread by thread, after a change of index.
static std::vector<int64_t> mappedBy(const RegisterLayout &layout, ArrayRef<int64_t> newShape,
                                     function_ref<Extents(const Extents &)> change) {
  std::vector<int64_t> map;
  for (int64_t thread = 0; thread < layout.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot)
      map.push_back(linearize(change(layout.getIndex(thread, slot)), newShape));
  return map;
}

TEST(RegisterLayoutAlgebra, Compose) {
  RandomLayouts random(11);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout a = random.pickLayout(-1, 24), b = random.pickLayout(-1, 24);
    RegisterLayout c = a.compose(b);
    size_t rank = std::max(a.getRank(), b.getRank());
    ASSERT_EQ(c.getNumThreads(), a.getNumThreads() * b.getNumThreads());
    ASSERT_EQ(c.getNumLocals(), a.getNumLocals() * b.getNumLocals());
    Extents shapeB = padded(b.getShape(), rank, 1);
    for (int64_t thread = 0; thread < c.getNumThreads(); ++thread)
      for (int64_t slot = 0; slot < c.getNumLocals(); slot += 1 + slot / 3) {
        Extents index = padded(a.getIndex(thread / b.getNumThreads(), slot / b.getNumLocals()), rank, 0);
        Extents inner = padded(b.getIndex(thread % b.getNumThreads(), slot % b.getNumLocals()), rank, 0);
        for (size_t dim = 0; dim < rank; ++dim)
          index[dim] = index[dim] * shapeB[dim] + inner[dim];
        ASSERT_EQ(c.getIndex(thread, slot), index);
      }
  }
}

TEST(RegisterLayoutAlgebra, DivideInvertsCompose) {
  RandomLayouts random(12);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout a = random.pickLayout(-1, 64), b = random.pickLayout(-1, 64);
    RegisterLayout c = a.compose(b);
    std::optional<RegisterLayout> q = c.divide(b), r = c.leftDivide(a);
    ASSERT_TRUE(q && r);
    ASSERT_EQ(q->compose(b), c);
    ASSERT_EQ(a.compose(*r), c);
    if (a.getRank() >= b.getRank()) {
      ASSERT_EQ(*q, a);
    }
    if (b.getRank() >= a.getRank()) {
      ASSERT_EQ(*r, b);
    }
  }
}

/// The quotient of `whole` by `inner` as the map of its first slots, if there is one: brute force on the
/// definition.
static bool isTiledBy(const RegisterLayout &whole, const RegisterLayout &inner) {
  if (whole.getRank() < inner.getRank() || whole.getNumThreads() % inner.getNumThreads() != 0 ||
      whole.getNumLocals() % inner.getNumLocals() != 0)
    return false;
  Extents shape = padded(inner.getShape(), whole.getRank(), 1);
  for (auto [size, part] : zip_equal(whole.getShape(), shape))
    if (size % part != 0)
      return false;
  for (int64_t thread = 0; thread < whole.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < whole.getNumLocals(); ++slot) {
      int64_t t = thread % inner.getNumThreads(), s = slot % inner.getNumLocals();
      Extents index = whole.getIndex(thread, slot), base = whole.getIndex(thread - t, slot - s);
      Extents part = padded(inner.getIndex(t, s), whole.getRank(), 0);
      for (int64_t dim = 0; dim < whole.getRank(); ++dim)
        if (base[dim] % shape[dim] != 0 || index[dim] != base[dim] + part[dim])
          return false;
    }
  return true;
}

TEST(RegisterLayoutAlgebra, DivideSucceedsExactlyWhenATilingExists) {
  RandomLayouts random(13);
  int64_t numTiled = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout whole = random.pickLayout(random.pick(1, 2), 32),
                   inner = random.pickLayout(random.pick(1, 2), 6);
    std::string error;
    std::optional<RegisterLayout> q = whole.divide(inner, [&](const Twine &text) { error = text.str(); });
    bool expected = isTiledBy(whole, inner);
    ASSERT_EQ(q.has_value(), expected);
    ASSERT_EQ(error.empty(), expected);
    numTiled += expected;
  }
  EXPECT_GT(numTiled, 500);
}

TEST(RegisterLayoutAlgebra, Permute) {
  RandomLayouts random(14);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout layout = random.pickLayout();
    Extents dims(layout.getRank()), newShape;
    std::iota(dims.begin(), dims.end(), 0);
    random.shuffle(dims);
    for (int64_t dim : dims)
      newShape.push_back(layout.getShape()[dim]);
    RegisterLayout result = *layout.permute(dims);
    ASSERT_EQ(result.getShape(), ArrayRef<int64_t>(newShape));
    ASSERT_EQ(enumerateMap(result), mappedBy(layout, newShape, [&](const Extents &index) {
                Extents changed;
                for (int64_t dim : dims)
                  changed.push_back(index[dim]);
                return changed;
              }));
  }
  EXPECT_FALSE(RegisterLayout::local({2, 3}).permute({0, 0}));
  EXPECT_FALSE(RegisterLayout::local({2, 3}).permute({0}));
}

TEST(RegisterLayoutAlgebra, Reduce) {
  RandomLayouts random(15);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout layout = random.pickLayout();
    Extents dims, newShape;
    bool keepDims = random.pick(0, 1);
    for (int64_t dim = 0; dim < layout.getRank(); ++dim)
      if (random.pick(0, 1))
        dims.push_back(dim);
      else
        newShape.push_back(layout.getShape()[dim]);
    RegisterLayout result = *layout.reduce(dims, keepDims);
    ASSERT_EQ(result.getRank(), keepDims ? layout.getRank() : int64_t(newShape.size()));
    ASSERT_EQ(result.getNumThreads(), layout.getNumThreads());
    if (!keepDims) {
      ASSERT_EQ(result, *layout.slice(dims));
    }
    // Each thread holds exactly the projections of what it held, in the order of their first slots.
    for (int64_t thread = 0; thread < layout.getNumThreads(); thread += 1 + thread / 4) {
      std::vector<Extents> expected, actual;
      for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
        Extents index = layout.getIndex(thread, slot), projected;
        for (int64_t dim = 0; dim < layout.getRank(); ++dim)
          if (!is_contained(dims, dim))
            projected.push_back(index[dim]);
          else if (keepDims)
            projected.push_back(0);
        if (!is_contained(expected, projected))
          expected.push_back(projected);
      }
      for (int64_t slot = 0; slot < result.getNumLocals(); ++slot)
        actual.push_back(result.getIndex(thread, slot));
      ASSERT_EQ(actual, expected);
    }
  }
}

TEST(RegisterLayoutAlgebra, ReduceToAndExpandToAreInverse) {
  RandomLayouts random(16);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout layout = random.pickLayout(random.pick(0, 3), 128);
    Extents target;
    for (int64_t extra = random.pick(0, 2); extra > 0; --extra)
      target.push_back(random.pick(1, 6));
    for (int64_t size : layout.getShape())
      target.push_back(size == 1 ? random.pickSize() : size);
    std::optional<RegisterLayout> expanded = layout.expandTo(target);
    ASSERT_TRUE(expanded);
    ASSERT_EQ(expanded->getShape(), ArrayRef<int64_t>(target));
    ASSERT_EQ(expanded->getNumThreads(), layout.getNumThreads());
    ASSERT_EQ(*expanded->reduceTo(layout.getShape()), layout);
  }
  EXPECT_FALSE(RegisterLayout::local({4, 3}).reduceTo({2, 3}));
  EXPECT_FALSE(RegisterLayout::local({4, 3}).expandTo({4, 6}));
  EXPECT_EQ(*RegisterLayout::replicated({8, 1}, 4).expandTo({8, 8}),
            *RegisterLayout::get({8, 8}, {8, 2, 4}, {2}, {1, 0}));
}

TEST(RegisterLayoutAlgebra, Concat) {
  RandomLayouts random(17);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout a = random.pickLayout(-1, 24), b = random.pickLayout(-1, 24);
    RegisterLayout c = a.concat(b);
    for (int64_t thread = 0; thread < c.getNumThreads(); ++thread)
      for (int64_t slot = 0; slot < c.getNumLocals(); slot += 1 + slot / 3) {
        Extents index = a.getIndex(thread / b.getNumThreads(), slot / b.getNumLocals());
        index.append(b.getIndex(thread % b.getNumThreads(), slot % b.getNumLocals()));
        ASSERT_EQ(c.getIndex(thread, slot), index);
      }
  }
}

TEST(RegisterLayoutAlgebra, Reshape) {
  RandomLayouts random(18);
  int64_t numDone = 0;
  for (int trial = 0; trial < 2 * kTrials; ++trial) {
    RegisterLayout layout = random.pickLayout();
    Extents newShape = random.pickShapeOf(layout.getSize());
    std::optional<RegisterLayout> result = layout.reshape(newShape);
    if (!result)
      continue;
    ++numDone;
    ASSERT_EQ(result->getShape(), ArrayRef<int64_t>(newShape));
    ASSERT_EQ(enumerateMap(*result), enumerateMap(layout));
    // Back again is always possible, and exact.
    ASSERT_EQ(result->reshape(layout.getShape()), layout);
  }
  EXPECT_GT(numDone, kTrials);
  EXPECT_FALSE(RegisterLayout::spatial({2, 3}, {1, 0}).reshape({3, 2}));
  EXPECT_EQ(*RegisterLayout::spatial({2, 3}).reshape({3, 2}), RegisterLayout::spatial({3, 2}));
  EXPECT_EQ(*RegisterLayout::spatial({6}).reshape({1, 3, 1, 2}), RegisterLayout::spatial({1, 3, 1, 2}));
}

TEST(RegisterLayoutAlgebra, ReshapeFailsOnlyWhenNoLayoutExists) {
  // All layouts of 12 elements on few threads, by their maps; reshape must find each map that exists.
  RandomLayouts random(19);
  std::map<std::vector<int64_t>, int> mapsOf[2];
  const Extents shapes[2] = {{4, 3}, {3, 4}};
  std::vector<RegisterLayout> layouts;
  for (int trial = 0; trial < kTrials; ++trial) {
    for (int which : {0, 1}) {
      RegisterLayout layout = random.pickLayoutOf(shapes[which], 12);
      std::vector<int64_t> map = enumerateMap(layout);
      map.push_back(layout.getNumLocals());
      mapsOf[which][map] = 1;
      if (which == 0)
        layouts.push_back(layout);
    }
  }
  for (const RegisterLayout &layout : layouts) {
    std::vector<int64_t> map = enumerateMap(layout);
    map.push_back(layout.getNumLocals());
    if (mapsOf[1].count(map)) {
      ASSERT_TRUE(layout.reshape(shapes[1]));
    }
  }
}

TEST(RegisterLayoutAlgebra, FlattenSqueezeUnsqueeze) {
  RandomLayouts random(20);
  for (int trial = 0; trial < kTrials; ++trial) {
    RegisterLayout layout = random.pickLayout(random.pick(1, 5));
    int64_t first = random.pick(0, layout.getRank() - 1), last = random.pick(first, layout.getRank() - 1);
    RegisterLayout flat = *layout.flatten(first, last);
    ASSERT_EQ(flat.getRank(), layout.getRank() - (last - first));
    ASSERT_EQ(enumerateMap(flat), enumerateMap(layout));

    Extents dims;
    int64_t numNew = random.pick(0, 2);
    while (int64_t(dims.size()) < numNew) {
      int64_t dim = random.pick(0, layout.getRank() + numNew - 1);
      if (!is_contained(dims, dim))
        dims.push_back(dim);
    }
    RegisterLayout wide = *layout.unsqueeze(dims);
    ASSERT_EQ(wide.getRank(), layout.getRank() + numNew);
    ASSERT_EQ(enumerateMap(wide), enumerateMap(layout));
    ASSERT_EQ(*wide.squeeze(dims), layout);
  }
  EXPECT_FALSE(RegisterLayout::local({4, 3}).squeeze({0}));
  EXPECT_FALSE(RegisterLayout::local({4, 3}).flatten(1, 0));
}

TEST(RegisterLayoutAlgebra, IsFast) {
  // 256 operations of rank 5 as an inference would do them.
  RandomLayouts random(21);
  std::vector<RegisterLayout> layouts;
  for (int i = 0; i < 256; ++i)
    layouts.push_back(random.pickLayout(5, 4096));
  size_t hash = 0;
  auto start = std::chrono::steady_clock::now();
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < 256; ++i) {
      RegisterLayout c = layouts[i].compose(layouts[(i + 1) % 256]);
      hash ^= hash_value(*c.divide(layouts[(i + 1) % 256]));
      hash ^= hash_value(*c.permute({4, 3, 2, 1, 0})->reduce({1}, true));
      hash ^= c.covers(c);
    }
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  RecordProperty("microseconds_per_round", int(seconds * 1e5));
  std::printf("256 x (compose, divide, permute, reduce, covers): %.2f ms (hash %zu)\n", seconds * 100,
              hash % 10);
  // Ten rounds; a debug build on a loaded machine stays far below this.
  EXPECT_LT(seconds, 5.0);
}
