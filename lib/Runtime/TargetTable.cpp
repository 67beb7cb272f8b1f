// The functions of a kernel, and the counters of a target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TargetTable.h"

namespace tilus {

KernelVariant::~KernelVariant() {
  for (DeviceFunction *function = getFunctions(); function;) {
    DeviceFunction *next = function->next;
    delete function;
    function = next;
  }
}

DeviceFunction *KernelVariant::find(const Device &device) const {
  for (DeviceFunction *function = getFunctions(); function; function = function->next)
    if (&function->device == &device)
      return function;
  return nullptr;
}

DeviceFunction &KernelVariant::get(const Device &device) {
  std::unique_ptr<DeviceFunction> made;
  while (true) {
    DeviceFunction *first = getFunctions();
    if (DeviceFunction *function = find(device))
      return *function;
    if (!made)
      made = std::make_unique<DeviceFunction>(device, plan.getSharedArtifact(), threads);
    made->next = first;
    if (functions.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel))
      return *made.release();
  }
}

void TargetTable::absorb(const ThreadTarget &ended) {
  shortcutHits.fetch_add(ended.shortcutHits.get(), std::memory_order_relaxed);
  tableHits.fetch_add(ended.tableHits.get(), std::memory_order_relaxed);
  slowCalls.fetch_add(ended.slowCalls.get(), std::memory_order_relaxed);
}

void TargetTable::insert(uint64_t hash, llvm::ArrayRef<uint64_t> key, KernelVariant &kernel) {
  std::lock_guard lock(insertion);
  table.insert(hash, key, kernel);
}

void TargetTable::visit(
    llvm::function_ref<void(llvm::ArrayRef<uint64_t> key, KernelVariant &kernel)> visitor) {
  std::lock_guard lock(insertion);
  table.visit(visitor);
}

} // namespace tilus
