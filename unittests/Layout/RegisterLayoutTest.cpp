// Register layouts against their definition: validation, canonical form, the map, constructors.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

namespace {

std::string errorOf(ArrayRef<int64_t> shape, ArrayRef<int64_t> modes, ArrayRef<int64_t> spatial,
                    ArrayRef<int64_t> local) {
  std::string text;
  auto layout = RegisterLayout::get(shape, modes, spatial, local, [&](const Twine &error) {
    EXPECT_TRUE(text.empty());
    text = error.str();
  });
  EXPECT_FALSE(layout.has_value());
  return text;
}

} // namespace

TEST(RegisterLayout, RejectsInvalidParts) {
  EXPECT_EQ(errorOf({4, 0}, {4}, {0}, {}),
            "expected a shape of positive sizes with a product of at most 1099511627776, but got [4, 0]");
  EXPECT_EQ(errorOf({4, 6}, {4, 4}, {0}, {1}),
            "expected a mode shape that refines the shape [4, 6], but got [4, 4]");
  EXPECT_EQ(errorOf({4, 6}, {4}, {0}, {}),
            "expected a mode shape that refines the shape [4, 6], but got [4]");
  EXPECT_EQ(errorOf({4}, {4, 2}, {0}, {1}),
            "expected a mode shape that refines the shape [4], but got [4, 2]");
  EXPECT_EQ(errorOf({8}, {2, 4}, {0}, {}), "expected each mode to be used once, but got 0 uses of mode 1");
  EXPECT_EQ(errorOf({8}, {2, 4}, {0, 1}, {1}),
            "expected each mode to be used once, but got 2 uses of mode 1");
  EXPECT_EQ(errorOf({8}, {2, 4}, {0, 2}, {1}), "expected spatial modes below 2, but got [0, 2]");
  EXPECT_EQ(errorOf({8}, {2, 4}, {0}, {1, -2}), "expected local modes below 2, but got [1, -2]");
  EXPECT_EQ(errorOf({8}, {8}, {-(int64_t(1) << 41), 0}, {}),
            "expected at most 1099511627776 threads, but got the spatial modes [-2199023255552, 0]");
}

TEST(RegisterLayout, Fragment) {
  // The accumulator of m16n8: rows in two halves, a row of 8 over 4 lanes of 2.
  RegisterLayout layout = RegisterLayout::local({2, 1})
                              .compose(RegisterLayout::spatial({8, 4}))
                              .compose(RegisterLayout::local({1, 2}));
  EXPECT_EQ(layout, *RegisterLayout::get({16, 8}, {2, 8, 4, 2}, {1, 2}, {0, 3}));
  EXPECT_EQ(layout.getIndex(5, 3), (Extents{9, 3}));
  EXPECT_EQ(layout.getNumThreads(), 32);
  EXPECT_EQ(layout.getNumLocals(), 4);
  EXPECT_EQ(layout.getContiguousRun(1), 2);
  EXPECT_EQ(layout.getContiguousRun(0), 1);
  EXPECT_EQ(RegisterLayout::autoLocalSpatial(128, {64, 4}).compose(RegisterLayout::local({1, 8})),
            RegisterLayout::distribute(128, {64, 32}, 1, 8));
  RegisterLayout load = RegisterLayout::distribute(128, {64, 32}, 1, 8);
  EXPECT_EQ(load.getIndex(5, 9), (Extents{33, 9}));
}

TEST(RegisterLayout, MapFollowsDefinition) {
  RandomLayouts random(1);
  for (int trial = 0; trial < 10000; ++trial) {
    RawLayout raw = random.pickRaw();
    std::optional<RegisterLayout> layout = raw.get();
    ASSERT_TRUE(layout);
    ASSERT_EQ(layout->getNumThreads(), raw.getNumThreads());
    ASSERT_EQ(layout->getNumLocals(), raw.getNumLocals());
    ASSERT_EQ(layout->getSize() * layout->getReplication(), raw.getNumThreads() * raw.getNumLocals());
    std::map<Extents, SmallVector<int64_t>> owners;
    std::map<Extents, std::set<int64_t>> slots;
    for (int64_t thread = 0; thread < raw.getNumThreads(); ++thread)
      for (int64_t slot = 0; slot < raw.getNumLocals(); ++slot) {
        Extents index = raw.getIndex(thread, slot);
        ASSERT_EQ(layout->getIndex(thread, slot), index);
        owners[index].push_back(thread);
        slots[index].insert(slot);
      }
    ASSERT_EQ(int64_t(owners.size()), layout->getSize());
    for (auto &[index, threads] : owners) {
      ASSERT_EQ(layout->getThreads(index), threads);
      ASSERT_EQ(slots[index], std::set<int64_t>{layout->getLocal(index)});
      ASSERT_EQ(layout->getRepresentativeThread(index), threads.front());
      for (int64_t thread : threads)
        ASSERT_EQ(layout->isRepresentative(thread), thread == threads.front());
    }
  }
}

TEST(RegisterLayout, CanonicalFormIsUnique) {
  // Small layouts, so that many of them have the same map.
  RandomLayouts random(2);
  std::map<std::pair<SmallVector<int64_t>, std::vector<int64_t>>, RegisterLayout> byMap;
  int64_t repeats = 0;
  for (int trial = 0; trial < 40000; ++trial) {
    RegisterLayout layout = random.pickLayout(random.pick(1, 3), 24);
    SmallVector<int64_t> key(layout.getShape());
    key.push_back(layout.getNumThreads());
    key.push_back(layout.getNumLocals());
    auto [it, isNew] = byMap.try_emplace({key, enumerateMap(layout)}, layout);
    ASSERT_EQ(it->second, layout);
    ASSERT_EQ(hash_value(it->second), hash_value(layout));
    repeats += !isNew;
  }
  // Different maps mean different layouts: no two entries may be equal.
  std::set<std::vector<Extents>> forms;
  for (auto &[key, layout] : byMap)
    ASSERT_TRUE(forms
                    .insert({Extents(layout.getShape()), Extents(layout.getModeShape()),
                             Extents(layout.getSpatialModes()), Extents(layout.getLocalModes())})
                    .second);
  EXPECT_GT(repeats, 10000);
}

TEST(RegisterLayout, DigitsAreTheMap) {
  RandomLayouts random(3);
  for (int trial = 0; trial < 10000; ++trial) {
    RegisterLayout layout = random.pickLayout();
    int64_t thread = random.pick(0, layout.getNumThreads() - 1);
    int64_t slot = random.pick(0, layout.getNumLocals() - 1);
    Extents index(layout.getRank(), 0);
    for (const LayoutDigit &digit : layout.getSpatialDigits())
      if (digit.dim >= 0)
        index[digit.dim] += thread / digit.stride % digit.size * digit.indexStride;
    for (const LayoutDigit &digit : layout.getLocalDigits())
      index[digit.dim] += slot / digit.stride % digit.size * digit.indexStride;
    ASSERT_EQ(layout.getIndex(thread, slot), index);
  }
}

TEST(RegisterLayout, ContiguousRunIsTheLongest) {
  RandomLayouts random(4);
  for (int trial = 0; trial < 10000; ++trial) {
    RegisterLayout layout = random.pickLayout(random.pick(1, 5), 64);
    for (int64_t dim = 0; dim < layout.getRank(); ++dim) {
      int64_t best = 1;
      for (int64_t run = 2; run <= layout.getNumLocals(); ++run) {
        bool holds = layout.getNumLocals() % run == 0;
        for (int64_t slot = 0; slot < layout.getNumLocals() && holds; ++slot) {
          Extents index = layout.getIndex(0, slot / run * run);
          index[dim] += slot % run;
          holds = layout.getIndex(0, slot) == index;
        }
        if (holds)
          best = run;
      }
      ASSERT_EQ(layout.getContiguousRun(dim), best);
    }
  }
}

TEST(RegisterLayout, CoversIsOwnership) {
  RandomLayouts random(5);
  int64_t numCovering = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    RegisterLayout a = random.pickLayout(random.pick(1, 3), 48);
    int64_t numThreads = a.getNumThreads() * (random.pick(0, 7) ? 1 : 2);
    RegisterLayout b = random.pickLayoutOf(a.getShape(), numThreads);
    bool expected = a.getNumThreads() == numThreads;
    for (const Extents &index : allIndices(a.getShape())) {
      if (!expected)
        break;
      SmallVector<int64_t> owners = a.getThreads(index);
      for (int64_t thread : b.getThreads(index))
        expected &= is_contained(owners, thread);
    }
    ASSERT_EQ(a.covers(b), expected);
    numCovering += expected;
  }
  EXPECT_GT(numCovering, 1000);
}

TEST(RegisterLayout, DistributeIsTotal) {
  const int64_t sizes[] = {1, 2, 3, 5, 6, 7, 8, 48, 96};
  for (int64_t threads : {1, 3, 5, 6, 32, 48, 96, 128, 384})
    for (int64_t rows : sizes)
      for (int64_t columns : sizes)
        for (int64_t vector : {0, 1, 3, 4, 8})
          for (int64_t dim : {-1, 0, 1}) {
            RegisterLayout layout = RegisterLayout::distribute(threads, {rows, columns}, dim, vector);
            ASSERT_EQ(layout.getShape(), ArrayRef<int64_t>({rows, columns}));
            ASSERT_EQ(layout.getNumThreads(), threads);
            ASSERT_EQ(rows * columns * layout.getReplication(), threads * layout.getNumLocals());
            std::set<int64_t> seen;
            if (rows * columns <= 64) {
              for (int64_t element : enumerateMap(layout))
                seen.insert(element);
              ASSERT_EQ(int64_t(seen.size()), rows * columns);
            }
            if (dim >= 0 && vector > 0) {
              int64_t extent = dim ? columns : rows;
              ASSERT_EQ(layout.getContiguousRun(dim) % std::gcd(vector, extent), 0);
            }
          }
  EXPECT_EQ(RegisterLayout::distribute(64, {}, -1, 1), RegisterLayout::replicated({}, 64));
}

TEST(RegisterLayout, ConstructorsFollowRanks) {
  EXPECT_EQ(RegisterLayout::spatial({4, 8}).getIndex(9, 0), (Extents{1, 1}));
  EXPECT_EQ(RegisterLayout::columnSpatial({4, 8}).getIndex(9, 0), (Extents{1, 2}));
  EXPECT_EQ(RegisterLayout::local({4, 8}).getIndex(0, 9), (Extents{1, 1}));
  EXPECT_EQ(RegisterLayout::columnLocal({4, 8}).getIndex(0, 9), (Extents{1, 2}));
  // Ranks (1, 0, 2): dimension 1 outermost, then 0, then 2.
  EXPECT_EQ(RegisterLayout::spatial({2, 3, 5}, {1, 0, 2}).getIndex(2 * 10 + 1 * 5 + 3, 0),
            (Extents{1, 2, 3}));
  RegisterLayout copies = RegisterLayout::replicated({3, 2}, 6);
  EXPECT_EQ(copies.getReplication(), 6);
  EXPECT_EQ(copies.getIndex(5, 3), (Extents{1, 1}));
  EXPECT_EQ(copies, RegisterLayout::replicated({1, 1}, 2).compose(RegisterLayout::replicated({3, 2}, 3)));
}
