// Cost of a warp's access to shared memory.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Layout/BankConflicts.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace tilus {

/// The cycles that the lanes of one phase take.
static int64_t countPhase(ArrayRef<int64_t> byteAddresses, int64_t widthBytes) {
  SmallVector<int64_t, 64> words;
  for (int64_t address : byteAddresses)
    if (address >= 0)
      for (int64_t word = address / kBankBytes; word * kBankBytes < address + widthBytes; ++word)
        words.push_back(word);
  sort(words);
  words.erase(llvm::unique(words), words.end());
  int64_t load[kNumBanks] = {};
  int64_t busiest = 0;
  for (int64_t word : words)
    busiest = std::max(busiest, ++load[word % kNumBanks]);
  return busiest;
}

AccessCost countAccess(ArrayRef<int64_t> byteAddresses, int64_t widthBytes) {
  int64_t phaseLanes = kNumBanks * kBankBytes / std::max(widthBytes, kBankBytes);
  AccessCost cost;
  while (!byteAddresses.empty()) {
    size_t numLanes = std::min<size_t>(phaseLanes, byteAddresses.size());
    int64_t cycles = countPhase(byteAddresses.take_front(numLanes), widthBytes);
    cost.wavefronts += cycles;
    cost.conflicts += std::max<int64_t>(cycles - 1, 0);
    byteAddresses = byteAddresses.drop_front(numLanes);
  }
  return cost;
}

int64_t countBankConflicts(ArrayRef<int64_t> byteAddresses, int64_t widthBytes) {
  return countAccess(byteAddresses, widthBytes).conflicts;
}

} // namespace tilus
