// Values that are made once each, however many threads ask for them.
//
// The first to ask for a key makes its value, without a lock; the others wait for it. A failure goes to all
// who waited and is forgotten, so that a later request tries again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/ForkGuard.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <thread>
#include <vector>

namespace tilus {

/// One value being made, or made.
struct OnceFlight {
  std::thread::id owner;
  unsigned forkGeneration;
  enum class State { Making, Made, Failed } state = State::Making;
  std::string failure;
  ForkSafeCondition ended;
};

/// Who makes what and who waits for whom. Makers of one map may ask another map, whose makers ask the first
/// one, so all maps of a process have it in common.
class OnceControl {
public:
  static OnceControl &get();

  /// Whether this thread would wait for itself if it waited for the flight: it makes the value, or its maker
  /// waits, through any number of others, for a value that this thread makes. Under the mutex.
  bool isCircular(const OnceFlight &flight) const;

  /// Forgets the threads that a fork left behind. Under the mutex.
  void refresh();

  ForkSafeMutex mutex;
  std::map<std::thread::id, const OnceFlight *> waiting;

private:
  unsigned forkGeneration = getForkGeneration();
};

/// Values by keys. They stay where they are until the map ends.
template <typename Value> class OnceMap {
public:
  using Maker = llvm::function_ref<llvm::Expected<std::unique_ptr<Value>>()>;
  /// The value of the key, made by `make` if there is none. `what` names it in the error for a maker that
  /// asks for the value that it makes.
  llvm::Expected<Value *> get(llvm::ArrayRef<uint64_t> key, const llvm::Twine &what, Maker make);
  /// The value of the key if there is one.
  Value *find(llvm::ArrayRef<uint64_t> key);
  size_t size();
  /// Calls `visitor` for each value; nobody else may be using the map.
  void visit(llvm::function_ref<void(Value &)> visitor) {
    for (auto &[key, slot] : slots)
      if (slot.value)
        visitor(*slot.value);
  }

private:
  struct Slot {
    std::shared_ptr<OnceFlight> flight;
    std::unique_ptr<Value> value;
  };
  using Key = std::vector<uint64_t>;
  using Lock = std::unique_lock<ForkSafeMutex>;

  llvm::Error wait(Lock &lock, std::shared_ptr<OnceFlight> flight, const llvm::Twine &what);
  llvm::Expected<Value *> make(Lock &lock, const Key &key, Maker maker);

  OnceControl &control = OnceControl::get();
  std::map<Key, Slot> slots;
};

//===----------------------------------------------------------------------===//
// Implementation
//===----------------------------------------------------------------------===//

inline OnceControl &OnceControl::get() {
  // Never destroyed: threads may run on at exit.
  static OnceControl *control = new OnceControl;
  return *control;
}

inline bool OnceControl::isCircular(const OnceFlight &flight) const {
  const OnceFlight *next = &flight;
  while (next->owner != std::this_thread::get_id()) {
    auto it = waiting.find(next->owner);
    if (it == waiting.end())
      return false;
    next = it->second;
  }
  return true;
}

inline void OnceControl::refresh() {
  if (forkGeneration != getForkGeneration())
    waiting.clear();
  forkGeneration = getForkGeneration();
}

template <typename Value>
llvm::Expected<Value *> OnceMap<Value>::get(llvm::ArrayRef<uint64_t> words, const llvm::Twine &what,
                                            Maker maker) {
  Key key = words.vec();
  Lock lock(control.mutex);
  control.refresh();
  while (true) {
    auto it = slots.find(key);
    if (it == slots.end())
      return make(lock, key, maker);
    if (it->second.value)
      return it->second.value.get();
    // Its maker did not come along to this side of a fork.
    if (it->second.flight->forkGeneration != getForkGeneration())
      return make(lock, key, maker);
    if (llvm::Error error = wait(lock, it->second.flight, what))
      return std::move(error);
  }
}

template <typename Value>
llvm::Error OnceMap<Value>::wait(Lock &lock, std::shared_ptr<OnceFlight> flight, const llvm::Twine &what) {
  if (control.isCircular(*flight))
    return llvm::createStringError("expected the making of " + what +
                                   " not to ask for itself, but got a request for it from its own maker");
  control.waiting[std::this_thread::get_id()] = flight.get();
  flight->ended.wait(lock, [&] { return flight->state != OnceFlight::State::Making; });
  control.waiting.erase(std::this_thread::get_id());
  if (flight->state == OnceFlight::State::Failed)
    return llvm::createStringError(flight->failure);
  return llvm::Error::success();
}

template <typename Value>
llvm::Expected<Value *> OnceMap<Value>::make(Lock &lock, const Key &key, Maker maker) {
  auto flight = std::make_shared<OnceFlight>();
  flight->owner = std::this_thread::get_id();
  flight->forkGeneration = getForkGeneration();
  slots[key].flight = flight;
  lock.unlock();
  llvm::Expected<std::unique_ptr<Value>> made = maker();
  lock.lock();
  llvm::Expected<Value *> result = nullptr;
  if (made) {
    Slot &slot = slots[key];
    slot.value = std::move(*made);
    slot.flight.reset();
    flight->state = OnceFlight::State::Made;
    result = slot.value.get();
  } else {
    flight->failure = llvm::toString(made.takeError());
    flight->state = OnceFlight::State::Failed;
    slots.erase(key);
    result = llvm::createStringError(flight->failure);
  }
  flight->ended.notifyAll();
  return result;
}

template <typename Value> Value *OnceMap<Value>::find(llvm::ArrayRef<uint64_t> words) {
  std::lock_guard lock(control.mutex);
  auto it = slots.find(words.vec());
  return it == slots.end() ? nullptr : it->second.value.get();
}

template <typename Value> size_t OnceMap<Value>::size() {
  std::lock_guard lock(control.mutex);
  size_t count = 0;
  for (const auto &[key, slot] : slots)
    count += slot.value != nullptr;
  return count;
}

} // namespace tilus
