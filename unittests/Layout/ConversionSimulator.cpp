// Execution of conversion plans on arrays.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ConversionSimulator.h"
#include "Tilus/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <vector>

using namespace llvm;
using namespace tilus;

namespace {

/// The registers of all threads: the number of the element in each slot, -1 where nothing was written.
using Registers = std::vector<std::vector<int64_t>>;

Registers fill(const RegisterLayout &layout) {
  Registers registers(layout.getNumThreads());
  for (int64_t thread = 0; thread < layout.getNumThreads(); ++thread)
    for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot)
      registers[thread].push_back(linearize(layout.getIndex(thread, slot), layout.getShape()));
  return registers;
}

void runRounds(const ConversionPlan &plan, const Registers &source, Registers &target) {
  int64_t numThreads = source.size();
  for (const ConversionRound &round : plan.rounds)
    for (int64_t thread = 0; thread < numThreads; ++thread) {
      int64_t lane = round.sourceLane.evaluate(thread);
      int64_t from = thread / kWarpSize * kWarpSize + lane;
      ASSERT_TRUE(lane >= 0 && lane < kWarpSize && from < numThreads);
      if (round.isLocal) {
        ASSERT_EQ(from, thread);
      }
      int64_t &slot = target[thread][round.writeSlot.evaluate(thread)];
      ASSERT_EQ(slot, -1);
      slot = source[from][round.publishSlot.evaluate(from)];
    }
}

/// Visits the vectors of a staging access: the first memory offset and the slots of each.
void forEachVector(const SharedStaging &staging, const StagingAccess &access, const RegisterLayout &layout,
                   int64_t thread, function_ref<void(int64_t offset, int64_t slot)> visit) {
  for (int64_t slot = 0; slot < layout.getNumLocals(); ++slot) {
    if (slot / access.slotStride % access.vectorSize != 0)
      continue;
    int64_t start = staging.layout.getOffset(layout.getIndex(thread, slot));
    ASSERT_EQ(start % access.vectorSize, 0);
    for (int64_t j = 0; j < access.vectorSize; ++j)
      visit(start + j, slot + j * access.slotStride);
  }
}

void runStaging(const SharedStaging &staging, const RegisterLayout &sourceLayout,
                const RegisterLayout &targetLayout, const Registers &source, Registers &target) {
  ASSERT_LE(staging.store.vectorSize * staging.storageBits, 128);
  ASSERT_LE(staging.load.vectorSize * staging.storageBits, 128);
  std::vector<int64_t> memory(staging.sizeBytes * 8 / staging.storageBits, -1);
  for (size_t thread = 0; thread < source.size(); ++thread)
    if (sourceLayout.isRepresentative(thread))
      forEachVector(staging, staging.store, sourceLayout, thread, [&](int64_t offset, int64_t slot) {
        ASSERT_LT(offset, int64_t(memory.size()));
        ASSERT_EQ(memory[offset], -1);
        memory[offset] = source[thread][slot];
      });
  for (size_t thread = 0; thread < target.size(); ++thread)
    forEachVector(staging, staging.load, targetLayout, thread,
                  [&](int64_t offset, int64_t slot) { target[thread][slot] = memory[offset]; });
}

} // namespace

void tilus::test::checkPlan(const ConversionPlan &plan, const RegisterLayout &source,
                            const RegisterLayout &target) {
  Registers from = fill(source), expected = fill(target);
  Registers actual(target.getNumThreads(), std::vector<int64_t>(target.getNumLocals(), -1));
  switch (plan.kind) {
  case ConversionKind::Identity:
    actual = from;
    break;
  case ConversionKind::InThread:
    ASSERT_TRUE(all_of(plan.rounds, [](const ConversionRound &round) { return round.isLocal; }));
    [[fallthrough]];
  case ConversionKind::Shuffle:
    runRounds(plan, from, actual);
    break;
  case ConversionKind::SharedMemory:
    ASSERT_TRUE(plan.staging);
    runStaging(*plan.staging, source, target, from, actual);
    break;
  }
  ASSERT_EQ(actual, expected);
}
