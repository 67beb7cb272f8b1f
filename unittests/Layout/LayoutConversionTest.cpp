// Conversion plans, executed on arrays, against the definition of the layouts.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/LayoutConversion.h"
#include "ConversionSimulator.h"
#include "RandomLayouts.h"
#include "Tilus/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <chrono>
#include <map>
#include <set>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

namespace {

/// Whether every thread finds what it needs in its own warp.
bool isWithinWarps(const RegisterLayout &source, const RegisterLayout &target) {
  std::map<int64_t, std::set<int64_t>> warps;
  for (int64_t thread = 0; thread < source.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < source.getNumLocals(); ++slot)
      warps[linearize(source.getIndex(thread, slot), source.getShape())].insert(thread / kWarpSize);
  for (int64_t thread = 0; thread < target.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < target.getNumLocals(); ++slot)
      if (!warps[linearize(target.getIndex(thread, slot), target.getShape())].count(thread / kWarpSize))
        return false;
  return true;
}

} // namespace

TEST(LayoutConversion, PlansAreExact) {
  RandomLayouts random(41);
  int64_t counts[4] = {};
  for (int trial = 0; trial < 10000; ++trial) {
    bool onlyPowers = random.pick(0, 1);
    static constexpr int64_t threadCounts[] = {1, 2, 8, 32, 64, 128, 3, 6, 20, 48, 96};
    int64_t numThreads = threadCounts[random.pick(0, onlyPowers ? 5 : 10)];
    Extents shape = random.pickShape(onlyPowers);
    RegisterLayout source = random.pickLayoutOf(shape, numThreads);
    RegisterLayout target = random.pickLayoutOf(shape, numThreads);
    static constexpr int64_t elementBits[] = {1, 4, 6, 8, 16, 32, 64};
    int64_t bits = elementBits[random.pick(0, 6)];
    std::optional<ConversionPlan> plan = planConversion(source, target, bits);
    ASSERT_TRUE(plan);
    ++counts[int(plan->kind)];
    checkPlan(*plan, source, target);
    if (source == target) {
      ASSERT_EQ(plan->kind, ConversionKind::Identity);
    }
  }
  for (int64_t count : counts)
    EXPECT_GT(count, 100);
  std::printf("identity %ld, in thread %ld, shuffle %ld, shared %ld\n", long(counts[0]), long(counts[1]),
              long(counts[2]), long(counts[3]));
}

TEST(LayoutConversion, EveryKindOfPlanIsExact) {
  RandomLayouts random(42);
  int64_t numCovered = 0, numInThread = 0, numWithin = 0, numShuffled = 0;
  for (int trial = 0; trial < 10000; ++trial) {
    bool onlyPowers = random.pick(0, 3);
    int64_t numThreads = int64_t(1) << random.pick(0, 6);
    Extents shape = random.pickShape(onlyPowers);
    RegisterLayout source = random.pickLayoutOf(shape, numThreads);
    RegisterLayout target = random.pickLayoutOf(shape, numThreads);
    checkPlan(planSharedMemory(source, target, 16), source, target);
    std::optional<ConversionPlan> local = planInThread(source, target, 32);
    ASSERT_TRUE(!local || source.covers(target));
    if (local)
      checkPlan(*local, source, target);
    std::optional<ConversionPlan> shuffle = planShuffle(source, target, 32);
    bool isWithin = isWithinWarps(source, target);
    ASSERT_TRUE(!shuffle || isWithin);
    if (shuffle)
      checkPlan(*shuffle, source, target);
    if (!onlyPowers)
      continue;
    // With powers of two nothing stands in the way of a plan but its length and other warps' replicas.
    numCovered += source.covers(target);
    numInThread += local.has_value();
    isWithin &= target.getNumLocals() <= kMaxShuffleRounds;
    numWithin += isWithin;
    numShuffled += shuffle.has_value();
  }
  EXPECT_EQ(numInThread, numCovered);
  EXPECT_GT(numInThread, 500);
  EXPECT_GT(numShuffled, 2000);
  EXPECT_GE(numShuffled, numWithin * 98 / 100);
  std::printf("in thread %ld of %ld covered, shuffles %ld of %ld within warps\n", long(numInThread),
              long(numCovered), long(numShuffled), long(numWithin));
}

TEST(LayoutConversion, ChoosesTheObvious) {
  // Another order of the slots: renaming, free.
  auto rename = planConversion(RegisterLayout::local({4, 8}), RegisterLayout::columnLocal({4, 8}), 32);
  EXPECT_EQ(rename->kind, ConversionKind::InThread);
  EXPECT_EQ(rename->cost, 0);
  // The same with sizes whose modes have no common refinement.
  auto odd = planConversion(*RegisterLayout::get({6, 2}, {2, 3, 2}, {}, {0, 2, 1}),
                            *RegisterLayout::get({6, 2}, {3, 2, 2}, {}, {0, 2, 1}), 32);
  EXPECT_EQ(odd->kind, ConversionKind::InThread);
  EXPECT_EQ(odd->cost, 0);
  // From copies to a distribution: each thread selects its own.
  auto select = planConversion(RegisterLayout::replicated({4}, 4), RegisterLayout::spatial({4}), 32);
  EXPECT_EQ(select->kind, ConversionKind::InThread);
  EXPECT_EQ(select->cost, 3 * ConversionCosts::kSelect);
  // A transposition of lanes: one shuffle a slot.
  auto lanes = planConversion(RegisterLayout::spatial({4, 8}), RegisterLayout::columnSpatial({4, 8}), 32);
  EXPECT_EQ(lanes->kind, ConversionKind::Shuffle);
  EXPECT_EQ(lanes->rounds.size(), 1u);
  EXPECT_EQ(lanes->cost, ConversionCosts::kShuffle + ConversionCosts::kShuffleLatency);
  // Lanes and slots change places: as many rounds as slots, one of them within the thread.
  auto exchange = planConversion(RegisterLayout::spatial({4, 1}).compose(RegisterLayout::local({1, 4})),
                                 RegisterLayout::local({4, 1}).compose(RegisterLayout::spatial({1, 4})), 32);
  EXPECT_EQ(exchange->kind, ConversionKind::Shuffle);
  EXPECT_EQ(count_if(exchange->rounds, [](const ConversionRound &round) { return round.isLocal; }), 1);
  // Warps change places: shared memory.
  auto warps = planConversion(RegisterLayout::spatial({64, 2}), RegisterLayout::columnSpatial({64, 2}), 32);
  EXPECT_EQ(warps->kind, ConversionKind::SharedMemory);
}

TEST(LayoutConversion, RejectsUnlikeLayouts) {
  std::string error;
  auto onError = [&](const Twine &text) { error = text.str(); };
  EXPECT_FALSE(planConversion(RegisterLayout::local({4}), RegisterLayout::local({2, 2}), 32, onError));
  EXPECT_EQ(error, "expected layouts of one shape, but got [4] and [2, 2]");
  EXPECT_FALSE(planConversion(RegisterLayout::local({4}), RegisterLayout::spatial({4}), 32, onError));
  EXPECT_EQ(error, "expected layouts of one number of threads, but got 1 and 4");
  EXPECT_FALSE(planConversion(RegisterLayout::local({4}), RegisterLayout::columnLocal({4}), 65, onError));
  EXPECT_EQ(error, "expected elements of 1 to 64 bits, but got 65");
}

TEST(LayoutConversion, IsFast) {
  RegisterLayout rows = RegisterLayout::distribute(128, {128, 128}, 1, 8);
  RegisterLayout columns = RegisterLayout::distribute(128, {128, 128}, 0, 8);
  auto start = std::chrono::steady_clock::now();
  int64_t cost = 0;
  for (int i = 0; i < 10; ++i)
    cost += planConversion(rows, columns, 16)->cost;
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("plan of a 128x128 conversion: %.0f us, cost %ld\n", seconds * 1e5, long(cost / 10));
  EXPECT_LT(seconds, 5.0);
}
