// The dispatcher's fast path: a call that repeats the thread's last one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Dispatcher.h"

#include "DispatcherState.h"

namespace tilus {

Dispatcher::Dispatcher(CallSignature signature, DispatcherOptions options)
    : state(std::make_unique<DispatcherState>(std::move(signature), std::move(options))) {}

Dispatcher::~Dispatcher() = default;

const CallSignature &Dispatcher::getSignature() const { return state->signature; }

llvm::Error Dispatcher::call(llvm::ArrayRef<CallValue> args, const CallSite &site) {
  ThreadRecord &record = state->threads.get();
  // The one place where a call reads the current target.
  const Target *target = site.target ? site.target : getCurrentTarget();
  if (!target && site.device)
    target = site.device->getDefaultTarget();
  if (LLVM_LIKELY(site.device && record.last.matches(target, site, args) && !state->isObserved)) {
    record.last.counters->shortcutHits.increment();
    return state->launchLast(record, site);
  }
  return state->callThroughTable(record, args, site, target);
}

namespace {
/// Announces a launch to those who unload modules.
class InFlightScope {
public:
  InFlightScope(ThreadRecord &record, const DeviceFunction &function) : record(record) {
    record.inFlight.store(&function, std::memory_order_seq_cst);
  }
  ~InFlightScope() { record.inFlight.store(nullptr, std::memory_order_release); }

private:
  ThreadRecord &record;
};
} // namespace

llvm::Error DispatcherState::launchLast(ThreadRecord &record, const CallSite &site) {
  const Device &device = record.last.function->device;
  const CudaDriver &driver = device.getDriver();
  if (LLVM_UNLIKELY(driver.isForeign()))
    return CudaDriver::describeFork("a launch of '" + signature.getName() + "'");
  cuda::ContextHandle current = nullptr;
  cuda::Result code = driver->ctxGetCurrent(&current);
  if (LLVM_LIKELY(code == cuda::success && current == device.getContext()))
    return launchInContext(record, site);
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  return launchInContext(record, site);
}

llvm::Error DispatcherState::launchInContext(ThreadRecord &record, const CallSite &site) {
  DeviceFunction &function = *record.last.function;
  LaunchBlock &block = record.last.block;
  const CudaDriver &driver = function.device.getDriver();
  if (LLVM_UNLIKELY(block.isEmpty))
    return llvm::Error::success();
  InFlightScope inFlight(record, function);
  cuda::FunctionHandle handle = function.handle.load(std::memory_order_seq_cst);
  while (LLVM_UNLIKELY(!handle)) {
    record.inFlight.store(nullptr, std::memory_order_release);
    if (llvm::Error error = load(function, site))
      return error;
    record.inFlight.store(&function, std::memory_order_seq_cst);
    handle = function.handle.load(std::memory_order_seq_cst);
  }
  if (uint64_t time = modules->getTime(); function.lastUse.load(std::memory_order_relaxed) != time)
    function.lastUse.store(time, std::memory_order_relaxed);
  bool isCaptured = site.stream && isCapturing(driver, site.stream);
  if (LLVM_UNLIKELY(isCaptured))
    pin(function, site.stream);
  if (LLVM_UNLIKELY(block.hasWorkspaces))
    if (llvm::Error error = bindWorkspaces(block, site, isCaptured))
      return error;
  block.config.stream = site.stream;
  cuda::Result code = driver->launchKernelEx(&block.config, handle, block.pointers.data(), nullptr);
  if (LLVM_LIKELY(code == cuda::success))
    return llvm::Error::success();
  return driver.check(code, "cuLaunchKernelEx",
                      "kernel '" + function.artifact->entry + "' on " + function.device.describe());
}

} // namespace tilus
