// Matrix operand layouts against the table of their strides.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/MatrixLayout.h"
#include "RandomLayouts.h"

#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

/// The byte address of an element by the table, computed digit by digit and swizzled as bytes.
static int64_t expectedByte(const MatrixLayout &m, int64_t mn, int64_t k, int64_t bits) {
  int64_t t = m.vectorElements, s = m.swizzleVectors, offset;
  if (m.major == MatrixMajor::K)
    offset = mn % 8 * s * t + mn / 8 * m.strideOffset + k % t + k / t % s * t + k / t / s * m.leadingOffset;
  else if (s == 1)
    offset = mn % t + mn / t * m.strideOffset + k % 8 * t + k / 8 * m.leadingOffset;
  else
    offset = mn % t + mn / t % s * t + mn / t / s * m.leadingOffset + k % 8 * s * t + k / 8 * m.strideOffset;
  int64_t byte = offset * bits / 8;
  return byte ^ ((byte >> 7 & (s - 1)) << 4);
}

TEST(MatrixLayout, FollowsTheTable) {
  for (int64_t bits : {8, 16, 32})
    for (MatrixMajor major : {MatrixMajor::MN, MatrixMajor::K})
      for (int64_t swizzle : {1, 2, 4, 8})
        for (int64_t atomsMN : {1, 2, 3})
          for (int64_t atomsK : {1, 2, 5}) {
            int64_t run = 128 / bits * swizzle;
            Extents shape = major == MatrixMajor::K ? Extents{8 * atomsMN, run * atomsK}
                                                    : Extents{run * atomsMN, 8 * atomsK};
            MatrixLayout matrix = *MatrixLayout::get(shape, bits, major, swizzle);
            SharedLayout layout = matrix.getSharedLayout();
            std::set<int64_t> offsets;
            for (const Extents &index : allIndices(shape)) {
              ASSERT_EQ(layout.getOffset(index) * bits / 8, expectedByte(matrix, index[0], index[1], bits));
              offsets.insert(layout.getOffset(index));
            }
            // Compact: every place is taken once.
            ASSERT_EQ(int64_t(offsets.size()), product(shape));
            ASSERT_EQ(*offsets.rbegin(), product(shape) - 1);

            std::optional<MatrixLayout> found = MatrixLayout::match(layout, bits);
            ASSERT_TRUE(found);
            ASSERT_EQ(found->getSharedLayout(), layout);
            ASSERT_EQ(found->major, major);
            ASSERT_EQ(found->swizzleVectors, swizzle);
            ASSERT_EQ(found->strideOffset, matrix.strideOffset);
            ASSERT_EQ(found->leadingOffset, matrix.leadingOffset);
          }
}

TEST(MatrixLayout, Examples) {
  MatrixLayout matrix = *MatrixLayout::get({128, 64}, 16, MatrixMajor::K, 8);
  EXPECT_EQ(matrix.numAtomsMN, 16);
  EXPECT_EQ(matrix.numAtomsK, 1);
  EXPECT_EQ(matrix.strideOffset, 512);
  EXPECT_EQ(matrix.leadingOffset, 8192);
  // The swizzled row-major layout is the K-major operand of its chunk.
  EXPECT_EQ(matrix.getSharedLayout(), SharedLayout::rowMajorSwizzle({128, 64}, 16));
  // Atoms further apart than compact, and a slice of a stack of buffers, are recognised.
  matrix.strideOffset = 640;
  EXPECT_EQ(MatrixLayout::match(matrix.getSharedLayout(), 16)->strideOffset, 640);
  SharedLayout stacked = SharedLayout::rowMajorSwizzle({3, 128, 64}, 16);
  EXPECT_EQ(MatrixLayout::match(*stacked.slice({1, 2}), 16)->swizzleVectors, 8);
  // The transposed view of an MN-major buffer.
  SharedLayout buffer = SharedLayout::rowMajorSwizzle({64, 128}, 16);
  EXPECT_EQ(MatrixLayout::match(*buffer.permute({1, 0}), 16)->major, MatrixMajor::MN);
}

TEST(MatrixLayout, RejectsOthers) {
  EXPECT_FALSE(MatrixLayout::match(SharedLayout::rowMajor({128, 64}), 16));
  EXPECT_FALSE(MatrixLayout::match(SharedLayout::rowMajor({8, 8, 8}), 16));
  EXPECT_FALSE(MatrixLayout::match(SharedLayout::rowMajorSwizzle({128, 64}, 16), 32));
  EXPECT_FALSE(MatrixLayout::get({12, 64}, 16, MatrixMajor::K, 8));
  EXPECT_FALSE(MatrixLayout::get({128, 64}, 64, MatrixMajor::K, 8));
  EXPECT_FALSE(MatrixLayout::get({128, 64}, 16, MatrixMajor::K, 3));
  std::string error;
  MatrixLayout::get({128, 48}, 16, MatrixMajor::K, 8, [&](const Twine &text) { error = text.str(); });
  EXPECT_EQ(error, "expected an operand shape that is a multiple of [8, 64], but got [128, 48]");
}
