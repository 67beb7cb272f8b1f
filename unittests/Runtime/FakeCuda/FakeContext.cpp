// The fake driver's contexts: primary ones, and those that programs make.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

using namespace fake;

extern "C" {

int cuDevicePrimaryCtxRetain(ContextHandle *context, int device) {
  Call call("cuDevicePrimaryCtxRetain");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device))
    return invalidDevice;
  *context = call.state.contexts[device].get();
  ++(*context)->retained;
  return ok;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  Call call("cuDevicePrimaryCtxRelease_v2");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device) || call.state.contexts[device]->retained == 0)
    return invalidContext;
  --call.state.contexts[device]->retained;
  return ok;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *isActive) {
  Call call("cuDevicePrimaryCtxGetState");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device))
    return invalidDevice;
  *flags = 0;
  *isActive = call.state.contexts[device]->retained > 0;
  return ok;
}

/// What a call that only touches the thread's stack of contexts has to return early. Takes the lock only if
/// something has been ordered.
static int beginLocally(const char *symbol) {
  return has(isUnready | hasOrders) ? Call(symbol).code : int(ok);
}

int cuCtxPushCurrent_v2(ContextHandle context) {
  if (int code = beginLocally("cuCtxPushCurrent_v2"))
    return code;
  ContextStack &stack = getContextStack();
  if (!context || context->retained == 0 || stack.depth == ContextStack::capacity)
    return invalidContext;
  stack.contexts[stack.depth++] = context;
  return ok;
}

int cuCtxPopCurrent_v2(ContextHandle *context) {
  if (int code = beginLocally("cuCtxPopCurrent_v2"))
    return code;
  ContextStack &stack = getContextStack();
  if (stack.depth == 0)
    return invalidContext;
  *context = stack.contexts[--stack.depth];
  return ok;
}

int cuCtxGetCurrent(ContextHandle *context) {
  if (int code = beginLocally("cuCtxGetCurrent"))
    return code;
  *context = getContextStack().getCurrent();
  return ok;
}

int cuCtxSetCurrent(ContextHandle context) {
  if (int code = beginLocally("cuCtxSetCurrent"))
    return code;
  ContextStack &stack = getContextStack();
  if (context && context->retained == 0)
    return invalidContext;
  if (stack.depth > 0)
    --stack.depth;
  if (context)
    stack.contexts[stack.depth++] = context;
  return ok;
}

int cuCtxCreate_v2(ContextHandle *context, unsigned flags, int device) {
  Call call("cuCtxCreate_v2");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device))
    return invalidDevice;
  std::vector<std::unique_ptr<ContextObject>> &created = call.state.createdContexts;
  // As the driver, it gives the place of one that is over to the next one.
  ContextObject *place = nullptr;
  for (const std::unique_ptr<ContextObject> &former : created)
    if (former->retained == 0 && former->device == device)
      place = former.get();
  if (!place) {
    created.push_back(std::make_unique<ContextObject>(device));
    place = created.back().get();
  }
  place->retained = 1;
  place->id = ++call.state.contextIds;
  *context = place;
  call.lock.unlock();
  return cuCtxPushCurrent_v2(place);
}

int cuCtxDestroy_v2(ContextHandle context) {
  Call call("cuCtxDestroy_v2");
  if (call.code)
    return call.code;
  bool isCreated = false;
  for (const std::unique_ptr<ContextObject> &created : call.state.createdContexts)
    isCreated |= created.get() == context && context->retained > 0;
  if (!isCreated)
    return invalidContext;
  context->retained = 0;
  for (auto module = call.state.modules.begin(); module != call.state.modules.end();)
    module = (*module)->function.context == context ? call.state.modules.erase(module) : std::next(module);
  ContextStack &stack = getContextStack();
  if (stack.getCurrent() == context)
    --stack.depth;
  return ok;
}

int cuCtxGetDevice(int *device) {
  if (int code = beginLocally("cuCtxGetDevice"))
    return code;
  ContextHandle current = getContextStack().getCurrent();
  if (!current)
    return invalidContext;
  *device = current->device;
  return ok;
}

int cuCtxGetId(ContextHandle context, unsigned long long *id) {
  if (int code = beginLocally("cuCtxGetId"))
    return code;
  if (!context || context->retained == 0)
    return invalidContext;
  *id = context->id;
  return ok;
}

int cuCtxSynchronize() {
  Call call("cuCtxSynchronize", currentContext);
  if (call.code)
    return call.code;
  // Seen on an H200: in every mode, also that of a thread that does not interfere.
  if (int code = call.state.breakCaptures(captureGlobal))
    return code;
  const auto hangs = [&] {
    bool hangs = call.context->defaultStream.hangs;
    for (StreamHandle stream : call.state.streams)
      hangs |= stream->context == call.context && stream->hangs;
    return hangs;
  };
  call.state.released.wait(call.lock, [&] { return !hangs(); });
  return ok;
}

} // extern "C"
