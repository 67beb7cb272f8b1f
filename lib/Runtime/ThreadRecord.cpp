// Finding the calling thread's record.
//
// A small array of each thread names the records that it used last, by the number of their dispatcher. The
// records themselves belong to the thread and to the dispatcher together, whichever ends last.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ThreadRecord.h"

#include "TargetTable.h"

#include "llvm/ADT/STLExtras.h"

namespace tilus {

namespace {
struct RecordSlot {
  uint64_t registry;
  ThreadRecord *record;
};

/// The records of a thread.
struct ThreadRecords {
  struct Row {
    uint64_t registry;
    std::shared_ptr<ThreadRecord> record;
  };
  std::vector<Row> rows;

  ~ThreadRecords();
};
} // namespace

static constexpr size_t slotCount = 32;
static thread_local RecordSlot slots[slotCount];
static thread_local ThreadRecords threadRecords;

/// Numbers of registries, never used twice, so that a slot of one that has ended is not taken for another's.
static std::atomic<uint64_t> nextRegistry{1};

ThreadRecords::~ThreadRecords() {
  for (Row &row : rows)
    row.record->hasThreadEnded.store(true, std::memory_order_release);
  for (RecordSlot &slot : slots)
    slot = {};
}

ThreadRegistry::ThreadRegistry(unsigned argCount, unsigned keyWords)
    : id(nextRegistry.fetch_add(1, std::memory_order_relaxed)), argCount(argCount), keyWords(keyWords) {}

ThreadRegistry::~ThreadRegistry() {
  for (const std::shared_ptr<ThreadRecord> &record : records)
    record->hasDispatcherEnded.store(true, std::memory_order_release);
}

ThreadRecord &ThreadRegistry::get() {
  RecordSlot &slot = slots[id % slotCount];
  if (LLVM_LIKELY(slot.registry == id))
    return *slot.record;
  slot = {id, &lookup()};
  return *slot.record;
}

ThreadRecord &ThreadRegistry::lookup() {
  std::vector<ThreadRecords::Row> &rows = threadRecords.rows;
  for (ThreadRecords::Row &row : rows)
    if (row.registry == id)
      return *row.record;
  llvm::erase_if(rows, [](const ThreadRecords::Row &row) {
    return row.record->hasDispatcherEnded.load(std::memory_order_acquire);
  });
  auto record = std::make_shared<ThreadRecord>();
  record->last.args.resize(argCount);
  record->key.resize(keyWords);
  rows.push_back({id, record});
  std::lock_guard lock(mutex);
  llvm::erase_if(records, [](const std::shared_ptr<ThreadRecord> &other) {
    if (!other->hasThreadEnded.load(std::memory_order_acquire))
      return false;
    for (const ThreadTarget &target : other->targets)
      target.table->absorb(target);
    return true;
  });
  records.push_back(record);
  return *record;
}

ThreadTarget *ThreadRegistry::find(ThreadRecord &record, const Target &target) {
  if (record.last.counters && record.last.counters->target == &target)
    return record.last.counters;
  for (ThreadTarget &row : record.targets)
    if (row.target == &target)
      return &row;
  return nullptr;
}

ThreadTarget &ThreadRegistry::add(ThreadRecord &record, const Target &target, TargetTable &table) {
  std::lock_guard lock(mutex);
  return record.targets.emplace_back(target, table);
}

bool ThreadRegistry::isInFlight(const DeviceFunction &function) {
  std::lock_guard lock(mutex);
  return llvm::any_of(records, [&](const std::shared_ptr<ThreadRecord> &record) {
    return record->inFlight.load(std::memory_order_seq_cst) == &function;
  });
}

void ThreadRegistry::visit(llvm::function_ref<void()> visitTables,
                           llvm::function_ref<void(const ThreadTarget &)> visitor) {
  std::lock_guard lock(mutex);
  visitTables();
  for (const std::shared_ptr<ThreadRecord> &record : records)
    for (const ThreadTarget &target : record->targets)
      visitor(target);
}

} // namespace tilus
