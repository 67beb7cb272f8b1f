// State, log, ordered failures and delays of the fake CUDA driver, and its controls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sstream>
#include <thread>

namespace fake {

std::atomic<unsigned> attention{isUnready | isRecording};

State &getState() {
  // Never destroyed: threads may still call while the process ends.
  static State *state = new State;
  return *state;
}

ContextStack &getContextStack() {
  [[gnu::tls_model("initial-exec")]] static thread_local ContextStack stack = {};
  return stack;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static std::atomic<bool> isForkedChild{false};

static void markForkedChild() {
  if (has(isUnready))
    return;
  isForkedChild = true;
  raise(isUnready);
}

State::State() {
  const char *devices = std::getenv("FAKE_CUDA_DEVICES"), *path = std::getenv("FAKE_CUDA_LOG");
  logPath = path ? path : "";
  reset(devices ? devices : "90");
  pthread_atfork(nullptr, nullptr, markForkedChild);
}

void State::reset(const char *devices) {
  attention = isUnready | isRecording;
  capabilities.clear();
  contexts.clear();
  createdContexts.clear();
  std::stringstream list(devices);
  for (std::string word; std::getline(list, word, ',');)
    capabilities.push_back(std::atoi(word.c_str()));
  for (int device = 0; device < int(capabilities.size()); ++device) {
    contexts.push_back(std::make_unique<ContextObject>(device));
    contexts.back()->id = ++contextIds;
  }
  for (EventHandle event : events)
    delete event;
  for (GraphHandle graph : graphs)
    delete graph;
  for (auto &[address, buffer] : buffers)
    std::free(buffer.memory);
  for (auto &[memory, bytes] : hostBuffers)
    std::free(const_cast<void *>(memory));
  modules.clear();
  streams.clear();
  events.clear();
  graphs.clear();
  moduleStorage.clear();
  streamStorage.clear();
  buffers.clear();
  hostBuffers.clear();
  bytesToHost[0] = bytesToHost[1] = 0;
  failures.clear();
  delays.clear();
  kernels.clear();
  log.clear();
  violations.clear();
  getContextStack().depth = 0;
}

void State::record(const std::string &line) {
  if (!has(isRecording))
    return;
  log += line + "\n";
  if (logPath.empty())
    return;
  if (std::FILE *file = std::fopen(logPath.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

std::map<DevicePointer, Buffer>::iterator State::findBuffer(DevicePointer address) {
  auto next = buffers.upper_bound(address);
  if (next == buffers.begin())
    return buffers.end();
  auto found = std::prev(next);
  return address - found->first < found->second.bytes ? found : buffers.end();
}

unsigned char *State::find(DevicePointer address, size_t bytes) {
  auto found = findBuffer(address);
  if (found == buffers.end() || bytes > found->second.bytes - (address - found->first))
    return nullptr;
  return found->second.memory + (address - found->first);
}

void State::copyToHost(void *to, const unsigned char *from, size_t bytes) {
  std::memcpy(to, from, bytes);
  auto next = hostBuffers.upper_bound(to);
  bool isPageLocked = next != hostBuffers.begin() &&
                      static_cast<char *>(to) + bytes <=
                          static_cast<const char *>(std::prev(next)->first) + std::prev(next)->second;
  bytesToHost[isPageLocked] += bytes;
}

CaptureMode &getThreadCaptureMode() {
  static thread_local CaptureMode mode = captureGlobal;
  return mode;
}

bool State::isCaptured(FunctionHandle function) const {
  for (StreamHandle stream : streams)
    if (stream->capture)
      for (const CapturedLaunch &launch : stream->capture->launches)
        if (launch.function == function)
          return true;
  return false;
}

/// By the driver's manual of cuThreadExchangeStreamCaptureMode.
int State::breakCaptures(CaptureMode mode) {
  int code = ok;
  for (StreamHandle stream : streams) {
    bool isOwn = stream->captureThread == std::this_thread::get_id();
    bool isConcerned = isOwn ? stream->captureMode != captureRelaxed
                             : stream->captureMode == captureGlobal && mode == captureGlobal;
    if (!stream->capture || mode == captureRelaxed || !isConcerned)
      continue;
    stream->isCaptureInvalid = true;
    code = captureUnsupported;
  }
  return code;
}

//===----------------------------------------------------------------------===//
// Call
//===----------------------------------------------------------------------===//

Call::Call(const char *symbol, unsigned needs)
    : state(getState()), context(getContextStack().getCurrent()), lock(state.mutex, std::defer_lock) {
  if (isForkedChild) {
    code = notInitialized;
    return;
  }
  lock.lock();
  if (auto delay = state.delays.find(symbol); delay != state.delays.end()) {
    std::chrono::microseconds time(delay->second);
    lock.unlock();
    std::this_thread::sleep_for(time);
    lock.lock();
  }
  code = begin(symbol, needs);
}

int Call::begin(const char *symbol, unsigned needs) {
  for (Failure &failure : state.failures)
    if (failure.symbol == symbol && --failure.remaining == 0)
      return failure.code;
  if (has(isUnready))
    return notInitialized;
  if ((needs & currentContext) && !context)
    return invalidContext;
  if ((needs & currentContext) && context->fault)
    return context->fault;
  if ((needs & noCapture) && has(isCapturing))
    return state.breakCaptures();
  return ok;
}

} // namespace fake

//===----------------------------------------------------------------------===//
// Controls
//===----------------------------------------------------------------------===//

using fake::getState;

void fakeCudaReset(const char *devices) {
  std::lock_guard lock(getState().mutex);
  getState().reset(devices);
}

void fakeCudaFail(const char *symbol, int nth, int code) {
  std::lock_guard lock(getState().mutex);
  getState().failures.push_back({symbol, nth, code});
  fake::raise(fake::hasOrders);
}

void fakeCudaDelay(const char *symbol, int microseconds) {
  std::lock_guard lock(getState().mutex);
  getState().delays[symbol] = microseconds;
  fake::raise(fake::hasOrders);
}

void fakeCudaKernel(const char *entry, FakeKernel kernel, void *context) {
  std::lock_guard lock(getState().mutex);
  getState().kernels[entry] = {kernel, context};
  fake::raise(fake::hasOrders);
}

void fakeCudaRelease() {
  fake::State &state = getState();
  std::lock_guard lock(state.mutex);
  for (auto &stream : state.streamStorage)
    stream->hangs = false;
  for (auto &context : state.contexts)
    context->defaultStream.hangs = false;
  for (fake::EventHandle event : state.events)
    event->isPending = false;
  state.released.notify_all();
}

void fakeCudaRecord(bool isOn) {
  if (isOn)
    fake::raise(fake::isRecording);
  else
    fake::clear(fake::isRecording);
}

const char *fakeCudaLog() {
  std::lock_guard lock(getState().mutex);
  return getState().log.c_str();
}

const char *fakeCudaViolations() {
  std::lock_guard lock(getState().mutex);
  return getState().violations.c_str();
}

int fakeCudaLive() {
  fake::State &state = getState();
  std::lock_guard lock(state.mutex);
  size_t live = state.modules.size() + state.streams.size() + state.events.size() + state.buffers.size() +
                state.hostBuffers.size() + state.graphs.size();
  for (const auto &context : state.contexts)
    live += context->retained;
  for (const auto &context : state.createdContexts)
    live += context->retained;
  return int(live + fake::getContextStack().depth);
}

unsigned long long fakeCudaBytes() {
  fake::State &state = getState();
  std::lock_guard lock(state.mutex);
  unsigned long long bytes = 0;
  for (const auto &[address, buffer] : state.buffers)
    bytes += buffer.bytes;
  return bytes;
}

unsigned long long fakeCudaBytesToHost(bool isPageLocked) {
  fake::State &state = getState();
  std::lock_guard lock(state.mutex);
  return state.bytesToHost[isPageLocked];
}
