// What conversions and accesses to global memory cost, to choose among layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LayoutCosts.h"
#include "TileRules.h"
#include "Tilus/Layout/BankConflicts.h"

using namespace mlir;
using namespace tilus;

int64_t LayoutCosts::getConversion(RegisterLayoutAttr from, RegisterLayoutAttr to, int64_t elementBits) {
  if (!from || !to || from == to)
    return 0;
  auto [entry, isNew] = known.try_emplace({from, to, elementBits}, 0);
  if (!isNew)
    return entry->second;
  std::optional<ConversionPlan> plan = planConversion(from.getLayout(), to.getLayout(), elementBits);
  return entry->second = plan ? plan->cost : 0;
}

int64_t tilus::getGlobalAccessCost(Operation *access, const RegisterLayout &layout) {
  // Memory is moved in sectors of 32 bytes. An access of a warp occupies the load-store unit as a bank cycle
  // does, and so does each sector that it touches.
  constexpr int64_t kSectorBits = 256;
  AccessVector allowed = getAccessVector(access);
  int64_t bits = getTileElementBits(getAccessedTile(access)), vector = 1;
  int64_t run = layout.getRank() ? layout.getContiguousRun(allowed.dim) : 1;
  while (vector * 2 <= allowed.size && run % (vector * 2) == 0)
    vector *= 2;

  SmallVector<Extents, 64> sectors;
  for (int64_t lane = 0, lanes = std::min(kWarpSize, layout.getNumThreads()); lane < lanes; ++lane) {
    Extents index = layout.getIndex(lane, 0);
    if (index.empty())
      continue;
    int64_t begin = index[allowed.dim] * bits, end = begin + vector * bits;
    for (int64_t sector = begin / kSectorBits; sector * kSectorBits < end; ++sector) {
      index[allowed.dim] = sector;
      sectors.push_back(index);
    }
  }
  llvm::sort(sectors, [](const Extents &a, const Extents &b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  int64_t touched = std::distance(sectors.begin(), llvm::unique(sectors));
  int64_t accesses = layout.getNumLocals() / vector;
  return accesses * ConversionCosts::kWavefront * (1 + touched);
}

StringRef tilus::describeConversion(ConversionKind kind) {
  switch (kind) {
  case ConversionKind::Identity:
    return "nothing";
  case ConversionKind::InThread:
    return "moves within threads";
  case ConversionKind::Shuffle:
    return "warp shuffles";
  case ConversionKind::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("all kinds are handled");
}
