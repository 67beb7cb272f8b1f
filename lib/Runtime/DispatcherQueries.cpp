// What a dispatcher has without a device: instances, the kernels that calls find, its tables and counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherState.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

//===----------------------------------------------------------------------===//
// Instances and kernels
//===----------------------------------------------------------------------===//

/// The target of a request that names one or none.
static llvm::Expected<const Target *> getRequested(const Target *target, const CallSignature &signature) {
  if (!target)
    target = getCurrentTarget();
  if (target)
    return target;
  return llvm::createStringError("expected a target to compile '" + signature.getName() +
                                 "' for, but got none; name one by a scope");
}

llvm::Expected<const JitInstance *> Dispatcher::compile(llvm::ArrayRef<CallValue> args,
                                                        const Target *target) {
  if (llvm::Error error = state->signature.check(args))
    return std::move(error);
  llvm::Expected<const Target *> requested = getRequested(target, state->signature);
  if (!requested)
    return requested.takeError();
  std::vector<uint64_t> key(state->signature.getKeyWords());
  state->signature.computeKey(args, key);
  llvm::Expected<InstanceVariants *> instance = state->getInstance(state->getTable(**requested), args, key);
  if (!instance)
    return instance.takeError();
  return &(*instance)->instance;
}

llvm::Expected<FoundKernel> Dispatcher::find(llvm::ArrayRef<CallValue> args, const Target *target) {
  if (llvm::Error error = state->signature.check(args))
    return std::move(error);
  llvm::Expected<const Target *> requested = getRequested(target, state->signature);
  if (!requested)
    return requested.takeError();
  return state->find(args, **requested);
}

static unsigned getNumber(const InstanceVariants &instance, const KernelVariant &kernel) {
  unsigned number = 0;
  while (instance.variants[number].get() != &kernel)
    ++number;
  return number;
}

llvm::Expected<FoundKernel> DispatcherState::find(llvm::ArrayRef<CallValue> args, const Target &target) {
  std::vector<uint64_t> key(signature.getKeyWords());
  uint64_t hash = signature.computeKey(args, key);
  TargetTable &table = getTable(target);
  ThreadRecord &record = threads.get();
  ThreadTarget *counters = ThreadRegistry::find(record, target);
  if (!counters)
    counters = &threads.add(record, target, table);
  KernelVariant *kernel = table.table.find(hash, key);
  (kernel ? counters->tableHits : counters->slowCalls).increment();
  DispatchPath path = kernel ? DispatchPath::Table : DispatchPath::Slow;
  llvm::Expected<InstanceVariants *> instance = getInstance(table, args, key);
  if (!instance)
    return instance.takeError();
  bool isChosen = (*instance)->variants.size() == 1 || !options.choose;
  if (!kernel && isChosen) {
    llvm::Expected<KernelVariant *> resolved = resolve(table, {args, CallSite(), hash, key});
    if (!resolved)
      return resolved.takeError();
    kernel = *resolved;
  }
  return FoundKernel{&(*instance)->instance, kernel ? getNumber(**instance, *kernel) : 0, path};
}

//===----------------------------------------------------------------------===//
// Tables and counters
//===----------------------------------------------------------------------===//

std::vector<DispatchEntry> Dispatcher::entries(const Target &target) const {
  return state->computeEntries(target);
}

std::vector<DispatchEntry> DispatcherState::computeEntries(const Target &target) {
  TargetTable &table = getTable(target);
  std::vector<DispatchEntry> result;
  std::vector<KernelVariant *> kernels;
  table.visit([&](llvm::ArrayRef<uint64_t> key, KernelVariant &kernel) {
    result.push_back({key.vec(), nullptr, 0});
    kernels.push_back(&kernel);
  });
  for (auto [entry, kernel] : llvm::zip_equal(result, kernels)) {
    InstanceVariants *instance =
        table.instances.find(llvm::ArrayRef(entry.key).take_front(signature.getJitWords()));
    entry.instance = &instance->instance;
    entry.candidate = getNumber(*instance, *kernel);
  }
  return result;
}

std::vector<TargetStats> Dispatcher::stats() const { return state->computeStats(); }

std::vector<TargetStats> DispatcherState::computeStats() {
  std::vector<TargetStats> rows;
  std::vector<TargetTable *> seen;
  {
    std::lock_guard lock(tablesMutex);
    for (const std::unique_ptr<TargetTable> &table : tables)
      seen.push_back(table.get());
  }
  for (TargetTable *table : seen)
    rows.push_back({&table->target, table->instances.size(), table->table.size(), 0, 0, 0,
                    double(table->compileNanoseconds) * 1e-6, table->cacheHits, table->cacheMisses});
  auto addEnded = [&] {
    for (auto [row, table] : llvm::zip_equal(rows, seen)) {
      row.shortcutHits = table->shortcutHits;
      row.tableHits = table->tableHits;
      row.slowCalls = table->slowCalls;
    }
  };
  threads.visit(addEnded, [&](const ThreadTarget &counters) {
    for (TargetStats &row : rows) {
      if (row.target != counters.target)
        continue;
      row.shortcutHits += counters.shortcutHits.get();
      row.tableHits += counters.tableHits.get();
      row.slowCalls += counters.slowCalls.get();
    }
  });
  return rows;
}

} // namespace tilus
