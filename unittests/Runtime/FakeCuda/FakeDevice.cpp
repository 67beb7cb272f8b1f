// The fake driver's initialisation, errors, devices and contexts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstdio>

using namespace fake;

namespace {
struct ErrorRow {
  int code;
  const char *name;
  const char *words;
};
} // namespace

static const ErrorRow errorRows[] = {
    {ok, "CUDA_SUCCESS", "no error"},
    {invalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {notInitialized, "CUDA_ERROR_NOT_INITIALIZED", "initialization error"},
    {noDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {invalidDevice, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {invalidImage, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {invalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {noBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
     "no kernel image is available for execution on the device"},
    {invalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {notFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {notReady, "CUDA_ERROR_NOT_READY", "device not ready"},
    {illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {launchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {captureUnsupported, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {captureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {captureUnmatched, "CUDA_ERROR_STREAM_CAPTURE_UNMATCHED", "capture was not initiated in this stream"},
    {captureImplicit, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking stream"},
};

static const ErrorRow *findError(int code) {
  for (const ErrorRow &row : errorRows)
    if (row.code == code)
      return &row;
  return nullptr;
}

static bool isDevice(const State &state, int device) {
  return device >= 0 && size_t(device) < state.capabilities.size();
}

extern "C" {

//===----------------------------------------------------------------------===//
// Initialisation, errors, devices
//===----------------------------------------------------------------------===//

int cuInit(unsigned flags) {
  Call call("cuInit");
  if (call.code != ok && call.code != notInitialized)
    return call.code;
  // A child of a fork never leaves this state: its call has no lock.
  if (!call.lock)
    return notInitialized;
  if (call.state.capabilities.empty())
    return noDevice;
  clear(isUnready);
  return flags == 0 ? ok : invalidValue;
}

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return ok;
}

int cuGetErrorName(int code, const char **name) {
  const ErrorRow *row = findError(code);
  *name = row ? row->name : nullptr;
  return row ? ok : invalidValue;
}

int cuGetErrorString(int code, const char **words) {
  const ErrorRow *row = findError(code);
  *words = row ? row->words : nullptr;
  return row ? ok : invalidValue;
}

int cuDeviceGetCount(int *count) {
  Call call("cuDeviceGetCount");
  if (call.code)
    return call.code;
  *count = int(call.state.capabilities.size());
  return ok;
}

int cuDeviceGet(int *device, int ordinal) {
  Call call("cuDeviceGet");
  if (call.code)
    return call.code;
  *device = ordinal;
  return isDevice(call.state, ordinal) ? ok : invalidDevice;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  Call call("cuDeviceGetName");
  if (call.code)
    return call.code;
  if (!isDevice(call.state, device))
    return invalidDevice;
  std::snprintf(name, bytes, "Fake GPU %d", device);
  return ok;
}

int cuDeviceGetAttribute(int *value, DeviceAttribute attribute, int device) {
  Call call("cuDeviceGetAttribute");
  if (call.code)
    return call.code;
  if (!isDevice(call.state, device))
    return invalidDevice;
  int capability = call.state.capabilities[device];
  const std::pair<int, int> rows[] = {{multiprocessorCount, 4},
                                      {l2CacheSize, 1 << 20},
                                      {computeCapabilityMajor, capability / 10},
                                      {computeCapabilityMinor, capability % 10},
                                      {maxSharedMemoryPerBlockOptin, 232448}};
  for (auto [id, answer] : rows)
    if (id == attribute) {
      *value = answer;
      return ok;
    }
  return invalidValue;
}

int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  Call call("cuDeviceTotalMem_v2");
  if (call.code)
    return call.code;
  *bytes = size_t(1) << 30;
  return isDevice(call.state, device) ? ok : invalidDevice;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

int cuDevicePrimaryCtxRetain(ContextHandle *context, int device) {
  Call call("cuDevicePrimaryCtxRetain");
  if (call.code)
    return call.code;
  if (!isDevice(call.state, device))
    return invalidDevice;
  *context = call.state.contexts[device].get();
  ++(*context)->retained;
  return ok;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  Call call("cuDevicePrimaryCtxRelease_v2");
  if (call.code)
    return call.code;
  if (!isDevice(call.state, device) || call.state.contexts[device]->retained == 0)
    return invalidContext;
  --call.state.contexts[device]->retained;
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
