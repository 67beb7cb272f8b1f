// Shared-memory and tensor-memory layouts against their definitions.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomLayouts.h"
#include "Tilus/Layout/TensorMemoryLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <map>
#include <numeric>
#include <set>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

static constexpr int kTrials = 10000;

/// Every offset of a layout in row-major order of the elements.
static std::vector<int64_t> offsetsOf(const SharedLayout &layout, int64_t origin = 0) {
  std::vector<int64_t> offsets;
  for (const Extents &index : allIndices(layout.getShape()))
    offsets.push_back(layout.getOffset(index, origin));
  return offsets;
}

TEST(SharedLayout, SwizzleIsInvolutiveAndLocal) {
  for (int64_t base = 0; base < 4; ++base)
    for (int64_t bits = 1; bits < 4; ++bits)
      for (int64_t shift = bits; shift < 5; ++shift) {
        Swizzle swizzle = *Swizzle::get(base, bits, shift);
        for (int64_t offset = 0; offset < 4 * swizzle.getPeriod(); ++offset) {
          ASSERT_EQ(swizzle.apply(swizzle.apply(offset)), offset);
          ASSERT_EQ(swizzle.apply(offset) / swizzle.getBlockSize(), offset / swizzle.getBlockSize());
          ASSERT_EQ(swizzle.apply(offset) + swizzle.getPeriod(), swizzle.apply(offset + swizzle.getPeriod()));
          ASSERT_EQ(swizzle.toBytes(32)->apply(offset * 4), swizzle.apply(offset) * 4);
          if (base >= 1) {
            ASSERT_EQ(swizzle.toBytes(4)->apply(offset / 2), swizzle.apply(offset) / 2);
          }
        }
      }
  EXPECT_FALSE(Swizzle::get(0, 0, 3));
  EXPECT_FALSE(Swizzle::get(0, 3, 2));
  EXPECT_FALSE(Swizzle::get(-1, 1, 3));
  EXPECT_FALSE(Swizzle::get(30, 8, 8));
  EXPECT_FALSE((Swizzle{0, 1, 3}.toBytes(4)));
  EXPECT_FALSE((Swizzle{3, 1, 3}.toBytes(6)));
}

TEST(SharedLayout, Examples) {
  SharedLayout layout = SharedLayout::rowMajorSwizzle({8, 64}, 16);
  EXPECT_EQ(layout.getSwizzle(), (Swizzle{3, 3, 3}));
  EXPECT_EQ(layout.getOffset({3, 16}), 200);
  EXPECT_EQ(SharedLayout::rowMajor({4, 6}).getOffset({2, 3}), 15);
  EXPECT_EQ(SharedLayout::columnMajor({4, 6}).getOffset({2, 3}), 14);
  EXPECT_EQ(layout.slice({1})->getOffset({16}, layout.getLinearOffset({3, 0})), 200);
}

TEST(SharedLayout, RejectsInvalidParts) {
  EXPECT_FALSE(SharedLayout::get({4, 4}, {4, 4}, {4}));
  EXPECT_FALSE(SharedLayout::get({4, 4}, {4, 2}, {4, 1}));
  EXPECT_FALSE(SharedLayout::get({4, 4}, {4, 4}, {-4, 1}));
  EXPECT_FALSE(SharedLayout::get({4, 4}, {4, 4}, {int64_t(1) << 62, 1}));
  EXPECT_FALSE(SharedLayout::get({4, 4}, {4, 4}, {4, 1}, Swizzle{0, 3, 1}));
  std::string error;
  SharedLayout::get({4, 4}, {4, 4}, {-4, 1}, std::nullopt, [&](const Twine &text) { error = text.str(); });
  EXPECT_EQ(error, "expected strides that are not negative and reach at most 1099511627776, but got [-4, 1]");
}

TEST(SharedLayout, MapFollowsDefinition) {
  RandomLayouts random(31);
  for (int trial = 0; trial < kTrials; ++trial) {
    RawLayout raw = random.pickRaw(-1, 64);
    Extents strides;
    for (size_t mode = 0; mode < raw.modeShape.size(); ++mode)
      strides.push_back(random.pick(0, 9));
    std::optional<Swizzle> swizzle;
    if (random.pick(0, 1))
      swizzle = Swizzle{random.pick(0, 2), random.pick(1, 2), random.pick(2, 3)};
    std::optional<SharedLayout> layout = SharedLayout::get(raw.shape, raw.modeShape, strides, swizzle);
    ASSERT_TRUE(layout);
    int64_t count = layout->getCountSize();
    for (const Extents &index : allIndices(raw.shape)) {
      int64_t expected = 0;
      size_t mode = 0;
      for (auto [i, size] : zip_equal(index, raw.shape)) {
        Extents sizes;
        size_t first = mode;
        for (int64_t filled = 1; filled < size; ++mode) {
          sizes.push_back(raw.modeShape[mode]);
          filled *= sizes.back();
        }
        for (auto [digit, stride] : zip(delinearize(i, sizes), ArrayRef<int64_t>(strides).drop_front(first)))
          expected += digit * stride;
      }
      ASSERT_EQ(layout->getLinearOffset(index), expected);
      int64_t offset = swizzle ? swizzle->apply(expected) : expected;
      ASSERT_EQ(layout->getOffset(index), offset);
      ASSERT_LT(offset, count);
    }
  }
}

TEST(SharedLayout, CanonicalFormIsUnique) {
  RandomLayouts random(32);
  std::map<std::pair<Extents, std::vector<int64_t>>, SharedLayout> byMap;
  std::set<std::vector<int64_t>> forms;
  int64_t repeats = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    RawLayout raw = random.pickRaw(random.pick(1, 2), 12);
    Extents strides;
    for (size_t mode = 0; mode < raw.modeShape.size(); ++mode)
      strides.push_back(random.pick(0, 4));
    std::optional<Swizzle> swizzle;
    if (random.pick(0, 1))
      swizzle = Swizzle{random.pick(0, 1), 1, random.pick(1, 2)};
    SharedLayout layout = *SharedLayout::get(raw.shape, raw.modeShape, strides, swizzle);
    std::vector<int64_t> map;
    for (int64_t origin = 0; origin < 16; ++origin)
      for (int64_t offset : offsetsOf(layout, origin))
        map.push_back(offset);
    auto [it, isNew] = byMap.try_emplace({raw.shape, map}, layout);
    ASSERT_EQ(it->second, layout);
    ASSERT_EQ(hash_value(it->second), hash_value(layout));
    repeats += !isNew;
    if (isNew) {
      std::vector<int64_t> form(raw.shape.begin(), raw.shape.end());
      for (ArrayRef<int64_t> list : {layout.getModeShape(), layout.getModeStrides()}) {
        form.push_back(-1);
        form.insert(form.end(), list.begin(), list.end());
      }
      if (auto s = layout.getSwizzle())
        form.insert(form.end(), {-2, s->base, s->bits, s->shift});
      ASSERT_TRUE(forms.insert(form).second);
    }
  }
  EXPECT_GT(repeats, 2000);
}

TEST(SharedLayout, RowMajorSwizzleIsLegalForAnyShape) {
  for (int64_t bits : {1, 4, 6, 8, 16, 32, 64})
    for (int64_t rows : {1, 3, 4, 8, 12, 48})
      for (int64_t columns : {1, 6, 8, 16, 24, 40, 48, 64, 96, 160}) {
        SharedLayout layout = SharedLayout::rowMajorSwizzle({2, rows, columns}, bits);
        std::vector<int64_t> offsets = offsetsOf(layout);
        std::set<int64_t> distinct(offsets.begin(), offsets.end());
        ASSERT_EQ(distinct.size(), offsets.size());
        ASSERT_LT(*distinct.rbegin(), layout.getCountSize());
        bool isSwizzled = isPowerOf2_64(bits) && columns * bits % 256 == 0;
        ASSERT_EQ(layout.getSwizzle().has_value(), isSwizzled) << rows << "x" << columns << " of " << bits;
        // A 16-byte vector of a row stays whole.
        if (isPowerOf2_64(bits) && columns * bits % 128 == 0) {
          ASSERT_EQ(layout.getContiguousRun(2) * bits % 128, 0);
        }
      }
}

TEST(SharedLayout, ContiguousRunsAreContiguous) {
  RandomLayouts random(33);
  for (int trial = 0; trial < kTrials; ++trial) {
    SharedLayout layout = random.pickShared(random.pick(1, 4), 128);
    for (int64_t dim = 0; dim < layout.getRank(); ++dim) {
      int64_t run = layout.getContiguousRun(dim);
      ASSERT_EQ(layout.getShape()[dim] % run, 0);
      for (const Extents &index : allIndices(layout.getShape())) {
        Extents start = index;
        start[dim] = index[dim] / run * run;
        ASSERT_EQ(layout.getOffset(index), layout.getOffset(start) + index[dim] % run);
      }
    }
  }
}

TEST(SharedLayout, Compose) {
  RandomLayouts random(34);
  for (int trial = 0; trial < kTrials; ++trial) {
    SharedLayout a = random.pickShared(-1, 16), b = random.pickShared(-1, 16);
    std::optional<SharedLayout> c = a.compose(b);
    if (!c) {
      ASSERT_TRUE(a.getSwizzle() && (b.getSwizzle() || !isPowerOf2_64(b.getCountSize())));
      continue;
    }
    size_t rank = c->getRank();
    for (const Extents &outer : allIndices(a.getShape()))
      for (const Extents &inner : allIndices(b.getShape())) {
        Extents index(rank, 0);
        for (int64_t dim = 0; dim < a.getRank(); ++dim)
          index[rank - a.getRank() + dim] = outer[dim];
        for (int64_t dim = 0; dim < b.getRank(); ++dim) {
          int64_t &i = index[rank - b.getRank() + dim];
          i = i * b.getShape()[dim] + inner[dim];
        }
        ASSERT_EQ(c->getOffset(index), b.getOffset(inner, a.getOffset(outer) * b.getCountSize()));
      }
  }
}

TEST(SharedLayout, ViewsKeepThePlaces) {
  RandomLayouts random(35);
  int64_t numReshaped = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    SharedLayout layout = random.pickShared(random.pick(0, 4), 64);
    std::vector<int64_t> offsets = offsetsOf(layout);

    Extents newShape = random.pickShapeOf(layout.getSize());
    if (std::optional<SharedLayout> reshaped = layout.reshape(newShape)) {
      ++numReshaped;
      ASSERT_EQ(offsetsOf(*reshaped), offsets);
      ASSERT_EQ(reshaped->reshape(layout.getShape()), layout);
    }
    Extents dims{random.pick(0, layout.getRank())};
    ASSERT_EQ(offsetsOf(*layout.unsqueeze(dims)), offsets);

    SharedLayout stacked = layout.prependDim(3);
    for (int64_t copy = 0; copy < 3; ++copy)
      for (const Extents &index : allIndices(layout.getShape())) {
        Extents whole{copy};
        whole.append(index);
        ASSERT_EQ(stacked.getOffset(whole), layout.getOffset(index, copy * layout.getCountSize()));
      }

    Extents order(layout.getRank());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(order);
    SharedLayout permuted = *layout.permute(order);
    Extents kept, constants;
    for (int64_t dim = 0; dim < layout.getRank(); ++dim) {
      constants.push_back(random.pick(0, layout.getShape()[dim] - 1));
      if (random.pick(0, 1))
        kept.push_back(dim);
    }
    SharedLayout view = *layout.slice(kept);
    Extents start = constants;
    for (int64_t dim : kept)
      start[dim] = 0;
    for (const Extents &index : allIndices(layout.getShape())) {
      Extents moved, part, full = constants;
      for (int64_t dim : order)
        moved.push_back(index[dim]);
      ASSERT_EQ(permuted.getOffset(moved), layout.getOffset(index));
      for (int64_t dim : kept) {
        part.push_back(index[dim]);
        full[dim] = index[dim];
      }
      ASSERT_EQ(view.getOffset(part, layout.getLinearOffset(start)), layout.getOffset(full));
    }
  }
  EXPECT_GT(numReshaped, kTrials / 2);
}

TEST(TensorMemoryLayout, Addresses) {
  TensorMemoryLayout layout = *TensorMemoryLayout::rowMajor({128, 2, 64});
  EXPECT_EQ(layout.getColumnStrides(), ArrayRef<int64_t>({0, 64, 1}));
  EXPECT_EQ(layout.getAddress({5, 1, 3}, 32), 0x00050043);
  EXPECT_EQ(layout.getAddress({5, 1, 3}, 16), 0x00050021);
  EXPECT_EQ(layout.getNumColumns(32), 128);
  EXPECT_EQ(layout.getNumColumns(16), 64);
  TensorMemoryLayout view = *layout.slice({64, 1, 16}, {0, 2}, {32, 8});
  EXPECT_EQ(view, *TensorMemoryLayout::get({32, 8}, {0, 1}, 64));
  EXPECT_EQ(layout.getAddress({64 + 3, 1, 16 + 5}, 32),
            view.getAddress({3, 5}, 32) + layout.getElementOffset({64, 1, 16}));
  EXPECT_FALSE(TensorMemoryLayout::rowMajor({48, 4}));
  EXPECT_FALSE(TensorMemoryLayout::rowMajor({}));
  EXPECT_FALSE(TensorMemoryLayout::get({64, 4}, {0, 1}, 96));
  EXPECT_FALSE(TensorMemoryLayout::get({64, 4}, {1, 1}));
  EXPECT_FALSE(layout.slice({0, 0, 0}, {1, 2}, {2, 64}));
  EXPECT_FALSE(layout.slice({0, 1, 0}, {0, 1}, {128, 2}));
  EXPECT_EQ(*TensorMemoryLayout::get({32, 1, 8}, {0, 7, 1}), *TensorMemoryLayout::get({32, 1, 8}, {0, 0, 1}));
}

TEST(Layouts, PrintAndHash) {
  auto print = [](const auto &layout) {
    std::string text;
    raw_string_ostream os(text);
    layout.print(os);
    return text;
  };
  TensorMemoryLayout tensor = *TensorMemoryLayout::get({64, 8}, {0, 1}, 64);
  EXPECT_EQ(print(tensor), "[64, 8], strides [0, 1], lane 64");
  EXPECT_EQ(print(SharedLayout::rowMajorSwizzle({8, 64}, 16)),
            "[8, 64], modes [8, 64], strides [64, 1], swizzle <3, 3, 3>");
  EXPECT_EQ(print(RegisterLayout::distribute(64, {8, 32}, 1, 2)),
            "[8, 32], modes [2, 4, 16, 2], spatial [1, 2], local [0, 3]");
  EXPECT_EQ(hash_value(tensor), hash_value(*TensorMemoryLayout::get({64, 8}, {0, 1}, 64)));
  EXPECT_NE(hash_value(tensor), hash_value(*TensorMemoryLayout::get({64, 8}, {0, 1}, 0)));
  EXPECT_NE(hash_value(Swizzle{3, 3, 3}), hash_value(Swizzle{3, 2, 3}));
  EXPECT_NE(hash_value(SharedLayout::rowMajor({8, 64})), hash_value(SharedLayout::columnMajor({8, 64})));
}
