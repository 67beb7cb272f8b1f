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
    {invalidHandle, "CUDA_ERROR_INVALID_HANDLE", "invalid resource handle"},
    {notFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
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
  State &state = getState();
  std::lock_guard lock(state.mutex);
  state.initialized = !state.capabilities.empty();
  if (int code = state.begin("cuInit"))
    return state.initialized ? code : int(noDevice);
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
  FAKE_BEGIN("cuDeviceGetCount")
  *count = int(state.capabilities.size());
  return ok;
}

int cuDeviceGet(int *device, int ordinal) {
  FAKE_BEGIN("cuDeviceGet")
  *device = ordinal;
  return isDevice(state, ordinal) ? ok : invalidDevice;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  FAKE_BEGIN("cuDeviceGetName")
  if (!isDevice(state, device))
    return invalidDevice;
  std::snprintf(name, bytes, "Fake GPU %d", device);
  return ok;
}

int cuDeviceGetAttribute(int *value, DeviceAttribute attribute, int device) {
  FAKE_BEGIN("cuDeviceGetAttribute")
  if (!isDevice(state, device))
    return invalidDevice;
  int capability = state.capabilities[device];
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
  FAKE_BEGIN("cuDeviceTotalMem_v2")
  *bytes = size_t(1) << 30;
  return isDevice(state, device) ? ok : invalidDevice;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

int cuDevicePrimaryCtxRetain(ContextHandle *context, int device) {
  FAKE_BEGIN("cuDevicePrimaryCtxRetain")
  if (!isDevice(state, device))
    return invalidDevice;
  *context = &state.contexts[device];
  ++state.contexts[device].retained;
  return ok;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  FAKE_BEGIN("cuDevicePrimaryCtxRelease_v2")
  if (!isDevice(state, device) || state.contexts[device].retained == 0)
    return invalidContext;
  --state.contexts[device].retained;
  return ok;
}

int cuCtxPushCurrent_v2(ContextHandle context) {
  FAKE_BEGIN("cuCtxPushCurrent_v2")
  if (!context || context->retained == 0)
    return invalidContext;
  getContextStack().push_back(context);
  return ok;
}

int cuCtxPopCurrent_v2(ContextHandle *context) {
  FAKE_BEGIN_IN_CONTEXT("cuCtxPopCurrent_v2")
  *context = getContextStack().back();
  getContextStack().pop_back();
  return ok;
}

int cuCtxSynchronize() {
  FAKE_BEGIN_IN_CONTEXT("cuCtxSynchronize")
  return ok;
}

} // extern "C"
