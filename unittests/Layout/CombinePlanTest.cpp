// Plans of reductions, scans and replicas, executed thread by thread and compared with sums over the
// elements.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/CombinePlan.h"
#include "RandomLayouts.h"
#include "Tilus/Layout/BankConflicts.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <map>

using namespace llvm;
using namespace tilus;
using namespace tilus::test;

/// A value of each element that makes sums tell apart which elements they are of.
static int64_t valueOf(ArrayRef<int64_t> index) {
  int64_t value = 17;
  for (int64_t i : index)
    value = (value * 1009 + i * i + 3 * i + 1) % 1000003;
  return value;
}

static int64_t digitOf(const ThreadDigit &digit, int64_t position) {
  return position / digit.stride % digit.size;
}

/// Layouts whose threads fill whole warps now and then.
static RegisterLayout pickLayout(RandomLayouts &random, int64_t trial) {
  constexpr int64_t threads[] = {1, 8, 12, 24, 32, 48, 64, 96, 160, 128, 256};
  return random.pickLayoutOf(random.pickShape(trial % 2 == 0), threads[trial % std::size(threads)]);
}

/// Threads that write to one place must know the same, and each place has one writer.
static std::map<int64_t, int64_t> collectWriters(const ScratchPlaces &places, int64_t threads) {
  std::map<int64_t, int64_t> writers;
  for (int64_t thread = 0; thread < threads; ++thread) {
    int64_t place = places.getPlace(thread);
    EXPECT_LT(place, places.count);
    if (places.isWriter(thread))
      EXPECT_TRUE(writers.insert({place, thread}).second);
  }
  EXPECT_EQ(int64_t(writers.size()), places.count);
  return writers;
}

/// The threads whose values a thread combines: by butterflies in its warp, then those of its partners'
/// places.
static std::vector<int64_t> collectSources(const ReducePlan &plan, int64_t thread,
                                           const std::map<int64_t, int64_t> &writers) {
  std::vector<int64_t> sources;
  int64_t base = plan.places.getPlace(thread);
  for (const ThreadDigit &digit : plan.partners)
    base -= digitOf(digit, thread) * digit.placeStride;
  std::vector<int64_t> places{base};
  for (const ThreadDigit &digit : plan.partners) {
    size_t inner = places.size();
    for (int64_t value = 1; value < digit.size; ++value)
      for (size_t at = 0; at < inner; ++at)
        places.push_back(places[at] + value * digit.placeStride);
  }
  for (int64_t place : places) {
    std::vector<int64_t> lanes{plan.partners.empty() ? thread : writers.at(place)};
    for (const ThreadDigit &digit : plan.lanes)
      for (int64_t step = 1; step < digit.size; step *= 2)
        for (size_t at = 0, count = lanes.size(); at < count; ++at)
          lanes.push_back(lanes[at] ^ (step * digit.stride));
    sources.insert(sources.end(), lanes.begin(), lanes.end());
  }
  return sources;
}

TEST(CombinePlan, ReductionsReachEachElementOnce) {
  RandomLayouts random(11);
  for (int64_t trial = 0; trial < 400; ++trial) {
    RegisterLayout layout = pickLayout(random, trial);
    if (layout.getRank() == 0)
      continue;
    int64_t dim = random.pick(0, layout.getRank() - 1), threads = layout.getNumThreads();
    ReducePlan plan = planReduce(layout, dim, /*hasWarps=*/trial % 5 != 0);
    auto writers = collectWriters(plan.places, threads);
    for (int64_t thread = 0; thread < threads; ++thread) {
      std::vector<Extents> seen;
      for (int64_t source : collectSources(plan, thread, writers)) {
        ASSERT_LT(source, threads);
        if (plan.partners.empty())
          EXPECT_EQ(source / kWarpSize, thread / kWarpSize);
        for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot)
          seen.push_back(layout.getIndex(source, slot));
      }
      // Each line that the thread holds a part of, whole and once.
      std::vector<Extents> expected;
      for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
        Extents index = layout.getIndex(thread, slot);
        for (int64_t i = 0; i < layout.getShape()[dim]; ++i) {
          index[dim] = i;
          expected.push_back(index);
        }
      }
      std::sort(expected.begin(), expected.end());
      expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
      std::sort(seen.begin(), seen.end());
      ASSERT_EQ(seen, expected) << "trial " << trial;
      if (plan.coversWarps)
        EXPECT_TRUE(threads <= kWarpSize || threads % kWarpSize == 0);
    }
  }
}

/// Executes the steps of a scan by sums, for all threads at once.
static std::vector<std::vector<int64_t>> runScan(const RegisterLayout &layout, const ScanPlan &plan) {
  int64_t threads = layout.getNumThreads(), locals = layout.getNumLocals();
  std::vector<std::vector<int64_t>> prefix(threads, std::vector<int64_t>(locals, 0)), total = prefix;
  for (int64_t thread = 0; thread < threads; ++thread)
    for (int64_t slot = 0; slot < locals; ++slot)
      total[thread][slot] = valueOf(layout.getIndex(thread, slot));
  for (const ScanStep &step : plan.steps) {
    auto before = total;
    std::map<int64_t, int64_t> writers;
    if (step.kind == ScanStep::Scratch)
      writers = collectWriters(step.places, threads);
    for (int64_t thread = 0; thread < threads; ++thread)
      for (int64_t slot = 0; slot < locals; ++slot) {
        bool isSlot = step.kind == ScanStep::Slots;
        int64_t own = digitOf(step.digit, isSlot ? slot : thread), sum = 0;
        for (int64_t value = 0; value < step.digit.size; ++value) {
          int64_t distance = (value - own) * step.digit.stride;
          int64_t other = isSlot ? thread : thread + distance, part = isSlot ? slot + distance : slot;
          if (step.kind == ScanStep::Scratch)
            other = writers.at(step.places.getPlace(thread) + (value - own) * step.digit.placeStride);
          if (step.kind == ScanStep::Lanes)
            EXPECT_EQ(other / kWarpSize, thread / kWarpSize);
          if (value == own)
            prefix[thread][slot] += sum;
          sum += before[other][part];
        }
        total[thread][slot] = sum;
      }
  }
  return prefix;
}

TEST(CombinePlan, ScansSumWhatComesBefore) {
  RandomLayouts random(12);
  for (int64_t trial = 0; trial < 300; ++trial) {
    RegisterLayout layout = pickLayout(random, trial);
    if (layout.getRank() == 0)
      continue;
    int64_t dim = random.pick(0, layout.getRank() - 1);
    auto prefix = runScan(layout, planScan(layout, dim, /*hasWarps=*/trial % 5 != 0));
    for (int64_t thread = 0; thread < layout.getNumThreads(); ++thread)
      for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
        Extents index = layout.getIndex(thread, slot);
        int64_t expected = 0, end = index[dim];
        for (index[dim] = 0; index[dim] < end; ++index[dim])
          expected += valueOf(index);
        ASSERT_EQ(prefix[thread][slot], expected) << "trial " << trial;
      }
  }
}

TEST(CombinePlan, ScansKeepTheirStepsApartInScratch) {
  RandomLayouts random(13);
  for (int64_t trial = 0; trial < 200; ++trial) {
    RegisterLayout layout = pickLayout(random, trial);
    if (layout.getRank() == 0)
      continue;
    ScanPlan plan = planScan(layout, 0, /*hasWarps=*/true);
    int64_t end = 0;
    for (const ScanStep &step : plan.steps) {
      if (step.kind != ScanStep::Scratch)
        continue;
      EXPECT_EQ(step.scratchBegin, end);
      end += step.places.count * step.numTotals;
    }
    EXPECT_EQ(plan.scratchSize, end);
  }
}

TEST(CombinePlan, ReplicasFindTheirRepresentative) {
  RandomLayouts random(14);
  for (int64_t trial = 0; trial < 300; ++trial) {
    RegisterLayout layout = pickLayout(random, trial);
    int64_t threads = layout.getNumThreads();
    ReplicaPlan plan = planReplicas(layout, /*hasWarps=*/trial % 5 != 0);
    auto writers = collectWriters(plan.places, threads);
    for (int64_t thread = 0; thread < threads; ++thread) {
      int64_t representative = layout.getRepresentativeThread(layout.getIndex(thread, 0)), source = thread;
      for (const ThreadDigit &digit : plan.replicas)
        source -= digitOf(digit, thread) * digit.stride;
      EXPECT_EQ(source, representative);
      EXPECT_EQ(writers.at(plan.places.getPlace(thread)), representative);
      if (plan.isInWarp && !plan.replicas.empty())
        EXPECT_EQ(source / kWarpSize, thread / kWarpSize);
    }
  }
}

TEST(CombinePlan, WarpsAreAlignedParts) {
  EXPECT_TRUE(formsWarps(0, 128));
  EXPECT_TRUE(formsWarps(64, 96));
  EXPECT_TRUE(formsWarps(48, 16));
  EXPECT_TRUE(formsWarps(5, 1));
  EXPECT_FALSE(formsWarps(48, 64));
  EXPECT_FALSE(formsWarps(8, 12));
  EXPECT_FALSE(formsWarps(16, 32));
}
