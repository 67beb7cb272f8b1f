// A table from keys to kernels that is read without locks.
//
// Open addressing over an array of atomic pointers. Entries are only ever added and never change; a full
// array is replaced by a larger one, and the former ones live on, since a reader may still be in them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace tilus {

class KernelVariant;

class DispatchTable {
public:
  DispatchTable();

  /// The kernel stored under the key, or null. May be called at any time from any thread; `hash` is a
  /// function of the key.
  KernelVariant *find(uint64_t hash, llvm::ArrayRef<uint64_t> key) const;
  /// Stores a kernel under a key that has none. One caller at a time.
  void insert(uint64_t hash, llvm::ArrayRef<uint64_t> key, KernelVariant &kernel);
  /// Calls `visitor` for each entry, in order. Not beside an insertion.
  void visit(llvm::function_ref<void(llvm::ArrayRef<uint64_t> key, KernelVariant &kernel)> visitor) const {
    for (const std::unique_ptr<Entry> &entry : entries)
      visitor(entry->key, *entry->kernel);
  }
  /// The number of entries.
  size_t size() const { return count.load(std::memory_order_relaxed); }

private:
  struct Entry {
    uint64_t hash;
    llvm::SmallVector<uint64_t, 6> key;
    KernelVariant *kernel;
  };
  struct Slots {
    explicit Slots(size_t size) : mask(size - 1), entries(std::make_unique<std::atomic<Entry *>[]>(size)) {}
    void add(Entry &entry);

    size_t mask;
    std::unique_ptr<std::atomic<Entry *>[]> entries;
  };

  std::atomic<const Slots *> current;
  std::atomic<size_t> count{0};
  std::vector<std::unique_ptr<Slots>> generations;
  std::vector<std::unique_ptr<Entry>> entries;
};

} // namespace tilus
