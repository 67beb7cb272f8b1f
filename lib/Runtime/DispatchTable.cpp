// Probing and growth of the dispatch table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatchTable.h"

namespace tilus {

static constexpr size_t firstSize = 16;

DispatchTable::DispatchTable() {
  generations.push_back(std::make_unique<Slots>(firstSize));
  current.store(generations.back().get(), std::memory_order_release);
}

KernelVariant *DispatchTable::find(uint64_t hash, llvm::ArrayRef<uint64_t> key) const {
  const Slots &slots = *current.load(std::memory_order_acquire);
  // At least a quarter of the slots is free, so that the walk ends.
  for (size_t index = hash;; ++index) {
    const Entry *entry = slots.entries[index & slots.mask].load(std::memory_order_acquire);
    if (!entry)
      return nullptr;
    if (entry->hash == hash && llvm::ArrayRef<uint64_t>(entry->key) == key)
      return entry->kernel;
  }
}

void DispatchTable::Slots::add(Entry &entry) {
  size_t index = entry.hash;
  while (entries[index & mask].load(std::memory_order_relaxed))
    ++index;
  entries[index & mask].store(&entry, std::memory_order_release);
}

void DispatchTable::insert(uint64_t hash, llvm::ArrayRef<uint64_t> key, KernelVariant &kernel) {
  entries.push_back(
      std::make_unique<Entry>(Entry{hash, llvm::SmallVector<uint64_t, 6>(key.begin(), key.end()), &kernel}));
  Slots *slots = generations.back().get();
  if (entries.size() * 4 <= (slots->mask + 1) * 3) {
    slots->add(*entries.back());
  } else {
    generations.push_back(std::make_unique<Slots>((slots->mask + 1) * 2));
    for (const std::unique_ptr<Entry> &entry : entries)
      generations.back()->add(*entry);
    current.store(generations.back().get(), std::memory_order_release);
  }
  count.store(entries.size(), std::memory_order_relaxed);
}

} // namespace tilus
