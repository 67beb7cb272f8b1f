// State, log and ordered failures of the fake CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"
#include "FakeCuda.h"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace fake {

State &getState() {
  static State state;
  return state;
}

std::vector<ContextHandle> &getContextStack() {
  static thread_local std::vector<ContextHandle> stack;
  return stack;
}

State::State() {
  const char *devices = std::getenv("FAKE_CUDA_DEVICES"), *path = std::getenv("FAKE_CUDA_LOG");
  logPath = path ? path : "";
  reset(devices ? devices : "90");
}

void State::reset(const char *devices) {
  initialized = false;
  capabilities.clear();
  contexts.clear();
  std::stringstream list(devices);
  for (std::string word; std::getline(list, word, ',');)
    capabilities.push_back(std::atoi(word.c_str()));
  for (int device = 0; device < int(capabilities.size()); ++device)
    contexts.push_back({device});
  for (ModuleHandle module : modules)
    delete module;
  for (StreamHandle stream : streams)
    delete stream;
  for (EventHandle event : events)
    delete event;
  modules.clear();
  streams.clear();
  events.clear();
  buffers.clear();
  failures.clear();
  log.clear();
  getContextStack().clear();
}

void State::record(const std::string &line) {
  log += line + "\n";
  if (logPath.empty())
    return;
  if (std::FILE *file = std::fopen(logPath.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

int State::begin(const char *symbol) {
  for (Failure &failure : failures)
    if (failure.symbol == symbol && --failure.remaining == 0)
      return failure.code;
  return initialized ? ok : notInitialized;
}

unsigned char *State::find(DevicePointer address, size_t bytes) {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return nullptr;
  auto &[start, memory] = *std::prev(next);
  size_t offset = address - start;
  if (offset > memory.size() || bytes > memory.size() - offset)
    return nullptr;
  return memory.data() + offset;
}

} // namespace fake

using fake::getState;

void fakeCudaReset(const char *devices) {
  std::lock_guard lock(getState().mutex);
  getState().reset(devices);
}

void fakeCudaFail(const char *symbol, int nth, int code) {
  std::lock_guard lock(getState().mutex);
  getState().failures.push_back({symbol, nth, code});
}

const char *fakeCudaLog() {
  std::lock_guard lock(getState().mutex);
  return getState().log.c_str();
}

int fakeCudaLive() {
  fake::State &state = getState();
  std::lock_guard lock(state.mutex);
  size_t live = state.modules.size() + state.streams.size() + state.events.size() + state.buffers.size();
  for (const tilus::cuda::ContextObject &context : state.contexts)
    live += context.retained;
  return int(live + fake::getContextStack().size());
}
