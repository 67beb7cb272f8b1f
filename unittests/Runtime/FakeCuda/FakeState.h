// The state of the fake CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/DriverTypes.h"

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace tilus::cuda {
struct ContextObject {
  int device;
  int retained = 0;
};
struct FunctionObject {
  std::string name;
  int registers = 0, localBytes = 0, sharedBytes = 0;
  std::vector<int> paramBytes;
};
struct ModuleObject {
  FunctionObject function;
  bool isPtx = false;
};
struct StreamObject {};
struct EventObject {
  /// The number of the record that marked it, from 1; 0 before any.
  int time = 0;
};
} // namespace tilus::cuda

namespace fake {

using namespace tilus::cuda;

/// The driver's codes that the fake returns.
enum Code : int {
  ok = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  invalidHandle = 400,
  notFound = 500,
};

/// A failure that was asked for.
struct Failure {
  std::string symbol;
  int remaining;
  int code;
};

struct State {
  std::recursive_mutex mutex;
  bool initialized = false;
  std::vector<int> capabilities;
  std::vector<ContextObject> contexts;
  std::set<ModuleHandle> modules;
  std::set<StreamHandle> streams;
  std::set<EventHandle> events;
  std::map<DevicePointer, std::vector<unsigned char>> buffers;
  std::vector<Failure> failures;
  std::string log;
  std::string logPath;
  int time = 0;

  State();
  void reset(const char *devices);
  /// Appends a line to the log.
  void record(const std::string &line);
  /// What a call of `symbol` has to return before it does anything: an ordered failure, or a missing cuInit.
  int begin(const char *symbol);
  /// The host memory behind a range of device memory, or null if no buffer holds all of it.
  unsigned char *find(DevicePointer address, size_t bytes);
};

State &getState();

/// Ends the life of an object; refuses a handle that is not alive.
template <typename Handle> int destroy(std::set<Handle> &live, Handle handle) {
  if (live.erase(handle) == 0)
    return invalidHandle;
  delete handle;
  return ok;
}

/// The contexts that are current on this thread, the innermost last.
std::vector<ContextHandle> &getContextStack();

} // namespace fake

/// Begins a function: takes the lock and returns what is to be returned early.
#define FAKE_BEGIN(symbol)                                                                                   \
  State &state = getState();                                                                                 \
  std::lock_guard lock(state.mutex);                                                                         \
  if (int code = state.begin(symbol))                                                                        \
    return code;

/// As FAKE_BEGIN, for a function that needs a current context.
#define FAKE_BEGIN_IN_CONTEXT(symbol)                                                                        \
  FAKE_BEGIN(symbol)                                                                                         \
  if (getContextStack().empty())                                                                             \
    return invalidContext;
