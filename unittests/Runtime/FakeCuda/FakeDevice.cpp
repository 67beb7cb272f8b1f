// The fake driver's initialisation, errors and devices.
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
  return call.state.isDevice(ordinal) ? ok : invalidDevice;
}

int cuDeviceGetName(char *name, int bytes, int device) {
  Call call("cuDeviceGetName");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device))
    return invalidDevice;
  std::snprintf(name, bytes, "Fake GPU %d", device);
  return ok;
}

int cuDeviceGetAttribute(int *value, DeviceAttribute attribute, int device) {
  Call call("cuDeviceGetAttribute");
  if (call.code)
    return call.code;
  if (!call.state.isDevice(device))
    return invalidDevice;
  int capability = call.state.capabilities[device];
  const std::pair<int, int> rows[] = {{multiprocessorCount, 4},
                                      {l2CacheSize, 1 << 20},
                                      {computeCapabilityMajor, capability / 10},
                                      {computeCapabilityMinor, capability % 10},
                                      {maxSharedMemoryPerBlockOptin, 232448},
                                      // What programs ask for by number, in the order of CUdevice_attribute.
                                      {1, 1024},
                                      {8, 49152},
                                      {9, 65536},
                                      {10, 32},
                                      {12, 65536},
                                      {37, 5120},
                                      {39, 2048},
                                      {81, 233472},
                                      {82, 65536},
                                      {106, 32},
                                      {111, 1024}};
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
  return call.state.isDevice(device) ? ok : invalidDevice;
}

} // extern "C"
