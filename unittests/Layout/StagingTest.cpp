// Bank conflicts, and the staging buffers chosen to avoid them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConversionSimulator.h"
#include "RandomLayouts.h"
#include "Tilus/Layout/BankConflicts.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

TEST(Staging, AvoidsBankConflicts) {
  // A 64x64 f16 transposition: rows of 8 elements in, columns of 8 elements out.
  RegisterLayout rows = RegisterLayout::distribute(128, {64, 64}, 1, 8);
  RegisterLayout columns = RegisterLayout::distribute(128, {64, 64}, 0, 8);
  ConversionPlan plan = planSharedMemory(rows, columns, 16);
  checkPlan(plan, rows, columns);
  // One side moves 16-byte vectors without conflicts; the other moves single elements, also without.
  EXPECT_EQ(std::max(plan.staging->store.vectorSize, plan.staging->load.vectorSize), 8);
  EXPECT_EQ(plan.staging->store.conflicts + plan.staging->load.conflicts, 0);

  // The accumulator of m16n8 tiles to rows of vectors.
  RegisterLayout fragment = RegisterLayout::spatial({4, 1})
                                .compose(RegisterLayout::local({1, 8}))
                                .compose(RegisterLayout::local({2, 1}))
                                .compose(RegisterLayout::spatial({8, 4}))
                                .compose(RegisterLayout::local({1, 2}));
  ConversionPlan epilogue = planSharedMemory(fragment, rows, 16);
  checkPlan(epilogue, fragment, rows);
  EXPECT_EQ(epilogue.staging->store.vectorSize, 2);
  EXPECT_EQ(epilogue.staging->load.vectorSize, 8);
  EXPECT_EQ(epilogue.staging->store.conflicts + epilogue.staging->load.conflicts, 0);
}

/// The bank cycles of all accesses of one warp, counted one by one.
static AccessCost countAll(const SharedStaging &staging, const StagingAccess &access,
                           const RegisterLayout &layout, int64_t warp, bool onlyRepresentatives) {
  AccessCost total;
  for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
    if (slot / access.slotStride % access.vectorSize != 0)
      continue;
    SmallVector<int64_t, 32> addresses;
    int64_t end = std::min((warp + 1) * kWarpSize, layout.getNumThreads());
    for (int64_t thread = warp * kWarpSize; thread < end; ++thread)
      addresses.push_back(onlyRepresentatives && !layout.isRepresentative(thread)
                              ? -1
                              : staging.layout.getOffset(layout.getIndex(thread, slot)) *
                                    staging.storageBits / 8);
    AccessCost cost = countAccess(addresses, access.vectorSize * staging.storageBits / 8);
    total.wavefronts += cost.wavefronts;
    total.conflicts += cost.conflicts;
  }
  return total;
}

TEST(Staging, CostsAreThoseOfTheFirstWarp) {
  RandomLayouts random(43);
  int64_t numSampled = 0, numExact = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    static constexpr int64_t threadCounts[] = {8, 32, 64, 128, 6, 48, 96};
    int64_t numThreads = threadCounts[random.pick(0, 6)];
    Extents shape = random.pickShape(random.pick(0, 3));
    RegisterLayout source = random.pickLayoutOf(shape, numThreads);
    RegisterLayout target = random.pickLayoutOf(shape, numThreads);
    SharedStaging staging = *planSharedMemory(source, target, 16).staging;
    AccessCost store = countAll(staging, staging.store, source, 0, true);
    AccessCost load = countAll(staging, staging.load, target, 0, false);
    auto isUniform = [&](const StagingAccess &access) {
      return !staging.layout.getSwizzle() && access.vectorSize * staging.storageBits >= 32;
    };
    bool isExact = store.wavefronts == staging.store.wavefronts &&
                   load.wavefronts == staging.load.wavefronts && store.conflicts == staging.store.conflicts &&
                   load.conflicts == staging.load.conflicts;
    if (isUniform(staging.store) && isUniform(staging.load)) {
      ASSERT_TRUE(isExact);
      continue;
    }
    // Swizzled accesses and those of half words are extrapolated from a few.
    ++numSampled;
    numExact += isExact;
    ASSERT_LE(store.wavefronts + load.wavefronts, 2 * (staging.store.wavefronts + staging.load.wavefronts));
  }
  EXPECT_GT(numSampled, 100);
  EXPECT_GE(numExact, numSampled * 95 / 100);
  std::printf("%ld of %ld sampled estimates exact\n", long(numExact), long(numSampled));
}

TEST(BankConflicts, KnownPatterns) {
  auto strided = [](int64_t stride, int64_t numLanes = 32) {
    SmallVector<int64_t, 32> addresses;
    for (int64_t lane = 0; lane < numLanes; ++lane)
      addresses.push_back(lane * stride);
    return addresses;
  };
  EXPECT_EQ(countBankConflicts(strided(4), 4), 0);
  EXPECT_EQ(countBankConflicts(strided(2), 2), 0);
  EXPECT_EQ(countBankConflicts(strided(0), 4), 0);
  EXPECT_EQ(countBankConflicts(strided(8), 4), 1);
  EXPECT_EQ(countBankConflicts(strided(12), 4), 0);
  EXPECT_EQ(countBankConflicts(strided(128), 4), 31);
  EXPECT_EQ(countAccess(strided(8), 8).wavefronts, 2);
  EXPECT_EQ(countBankConflicts(strided(8), 8), 0);
  EXPECT_EQ(countAccess(strided(16), 16).wavefronts, 4);
  EXPECT_EQ(countBankConflicts(strided(16), 16), 0);
  EXPECT_EQ(countBankConflicts(strided(128), 16), 4 * 7);
  EXPECT_EQ(countBankConflicts(strided(144), 16), 0);
  EXPECT_EQ(countAccess(SmallVector<int64_t, 32>(32, -1), 4).wavefronts, 0);
  EXPECT_EQ(countAccess(strided(128, 3), 4).wavefronts, 3);
}

TEST(ThreadExpr, MergesAndEvaluates) {
  ThreadExpr expr;
  expr.add({4, 2, 0, 4});
  expr.add({1, 4, 0, 1});
  EXPECT_EQ(expr.terms.size(), 1u);
  expr.add({8, 4, 0, 8});
  expr.add({64, 1, 0, 5});
  EXPECT_EQ(expr.terms.size(), 1u);
  EXPECT_EQ(expr.terms[0], (ThreadTerm{1, 32, 0, 1}));
  expr.add({32, 3, 2, 64});
  EXPECT_EQ(expr.getNumValues(), 96);
  EXPECT_EQ(expr.evaluate(32 * 2 + 5), 5 + 1 * 64);
}
