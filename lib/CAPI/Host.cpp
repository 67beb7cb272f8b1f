// The entry points of compiled host programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus-c/Host.h"

#include "Handles.h"
#include "Tilus/Runtime/HostModule.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>

using namespace tilus;
using namespace tilus::capi;

namespace {
/// The process's handler. Calls come from code without a place to keep one.
struct HandlerSlot {
  std::mutex mutex;
  TilusHostErrorHandler handler = nullptr;
  void *userData = nullptr;
};
} // namespace

/// Never destroyed: programs may launch while they end.
static HandlerSlot &getHandlerSlot() {
  static HandlerSlot *slot = new HandlerSlot;
  return *slot;
}

void tilusHostSetErrorHandler(TilusHostErrorHandler handler, void *userData) {
  HandlerSlot &slot = getHandlerSlot();
  std::lock_guard lock(slot.mutex);
  slot.handler = handler;
  slot.userData = userData;
}

static int reportFailure(const char *binary, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  HandlerSlot &slot = getHandlerSlot();
  std::unique_lock lock(slot.mutex);
  TilusHostErrorHandler handler = slot.handler;
  void *userData = slot.userData;
  lock.unlock();
  if (!handler) {
    std::fprintf(stderr, "tilus: launch from '%s' failed: %s\n", binary, message.c_str());
    std::fflush(stderr);
    std::abort();
  }
  handler(userData, binary, message.c_str());
  return 1;
}

/// The module of the binary; made by the first of the threads that come here.
static HostModule &getModule(TilusHostBinary &binary) {
  auto &state = reinterpret_cast<std::atomic<HostModule *> &>(binary.state);
  static_assert(sizeof(std::atomic<HostModule *>) == sizeof(void *));
  HostModule *known = state.load(std::memory_order_acquire);
  if (LLVM_LIKELY(known != nullptr))
    return *known;
  auto made =
      std::make_unique<HostModule>(binary.name ? binary.name : "", makeText(binary.data, binary.size));
  if (state.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *known;
}

static llvm::Error launch(TilusHostBinary &binary, const TilusHostLaunch &call) {
  if (binary.version != TILUS_HOST_ABI_VERSION)
    return llvm::createStringError("expected a program compiled for version " +
                                   llvm::Twine(TILUS_HOST_ABI_VERSION) +
                                   " of the launches of Tilus, but got one for version " +
                                   llvm::Twine(binary.version) + "; compile it again");
  if (!binary.data || !call.entry || (call.argumentCount != 0 && (!call.arguments || !call.argumentBytes)))
    return llvm::createStringError("expected a binary, a kernel and its arguments, but got null");
  HostLaunch launch;
  launch.entry = call.entry;
  launch.stream = static_cast<cuda::StreamHandle>(call.stream);
  launch.waits = call.waits != 0;
  std::copy(call.grid, call.grid + 3, launch.grid.begin());
  std::copy(call.block, call.block + 3, launch.block.begin());
  std::copy(call.cluster, call.cluster + 3, launch.cluster.begin());
  launch.sharedBytes = call.sharedBytes;
  launch.arguments = {call.arguments, static_cast<size_t>(call.argumentCount)};
  launch.argumentBytes = {call.argumentBytes, static_cast<size_t>(call.argumentCount)};
  return getModule(binary).launch(launch);
}

int tilusHostLaunch(TilusHostBinary *binary, const TilusHostLaunch *call) {
  if (!binary || !call)
    return reportFailure("", llvm::createStringError("expected a binary and a launch, but got null"));
  if (llvm::Error error = launch(*binary, *call))
    return reportFailure(binary->name ? binary->name : "", std::move(error));
  return 0;
}

void tilusHostRelease(TilusHostBinary *binary) {
  if (!binary || binary->version != TILUS_HOST_ABI_VERSION)
    return;
  delete static_cast<HostModule *>(binary->state);
  binary->state = nullptr;
}
