// The driver's functions, over the fake's state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

using namespace fake;

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

template <typename Handle> static int destroy(std::set<Handle> &live, Handle handle) {
  if (live.erase(handle) == 0)
    return invalidHandle;
  delete handle;
  return ok;
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

int cuDeviceGetAttribute(int *value, int attribute, int device) {
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

//===----------------------------------------------------------------------===//
// Modules and functions
//===----------------------------------------------------------------------===//

int cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count, int *options, void **values) {
  FAKE_BEGIN_IN_CONTEXT("cuModuleLoadDataEx")
  std::istringstream text(static_cast<const char *>(image));
  std::string word;
  auto loaded = std::make_unique<ModuleObject>();
  loaded->isPtx = bool(text >> word) && word == ".version";
  FunctionObject &function = loaded->function;
  if (!loaded->isPtx) {
    if (word != "fake" ||
        !(text >> function.name >> function.registers >> function.localBytes >> function.sharedBytes)) {
      for (unsigned i = 0; i < count; ++i)
        if (options[i] == jitErrorLogBuffer)
          std::strcpy(static_cast<char *>(values[i]), "fake: not a module image\n");
      return invalidImage;
    }
    for (int bytes; text >> bytes;)
      function.paramBytes.push_back(bytes);
  }
  *module = loaded.release();
  state.modules.insert(*module);
  state.record("cuModuleLoadDataEx device=" + std::to_string(getContextStack().back()->device));
  return ok;
}

int cuModuleUnload(ModuleHandle module) {
  FAKE_BEGIN_IN_CONTEXT("cuModuleUnload")
  return destroy(state.modules, module);
}

int cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  FAKE_BEGIN_IN_CONTEXT("cuModuleGetFunction")
  if (!state.modules.count(module))
    return invalidHandle;
  if (module->isPtx)
    module->function.name = name;
  if (module->function.name != name)
    return notFound;
  *function = &module->function;
  return ok;
}

int cuFuncGetAttribute(int *value, int attribute, FunctionHandle function) {
  FAKE_BEGIN_IN_CONTEXT("cuFuncGetAttribute")
  const std::pair<int, int> rows[] = {{functionRegisters, function->registers},
                                      {functionLocalBytes, function->localBytes},
                                      {functionSharedBytes, function->sharedBytes}};
  for (auto [id, answer] : rows)
    if (id == attribute) {
      *value = answer;
      return ok;
    }
  return invalidValue;
}

int cuFuncSetAttribute(FunctionHandle function, int attribute, int value) {
  FAKE_BEGIN_IN_CONTEXT("cuFuncSetAttribute")
  state.record("cuFuncSetAttribute " + function->name + " " + std::to_string(attribute) + "=" +
               std::to_string(value));
  return ok;
}

/// The value of a parameter as hexadecimal bytes in the order of memory.
static std::string printParam(const void *param, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) {
    char hex[3];
    std::snprintf(hex, sizeof(hex), "%02x", static_cast<const unsigned char *>(param)[i]);
    text += hex;
  }
  return text;
}

static std::string printExtents(const unsigned *extents) {
  return std::to_string(extents[0]) + "," + std::to_string(extents[1]) + "," + std::to_string(extents[2]);
}

int cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **params, void **extra) {
  FAKE_BEGIN_IN_CONTEXT("cuLaunchKernelEx")
  if (config->stream && !state.streams.count(config->stream))
    return invalidHandle;
  std::string line = "cuLaunchKernelEx " + function->name + " grid=" + printExtents(config->grid) +
                     " block=" + printExtents(config->block) +
                     " shared=" + std::to_string(config->sharedBytes) +
                     " stream=" + (config->stream ? "own" : "default");
  for (unsigned i = 0; i < config->attributeCount; ++i)
    if (config->attributes[i].id == launchClusterDimension)
      line += " cluster=" + printExtents(config->attributes[i].value.clusterDimension);
  line += " params=";
  for (size_t i = 0; i < function->paramBytes.size(); ++i)
    line += (i ? "," : "") + printParam(params[i], function->paramBytes[i]);
  state.record(line);
  return ok;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

int cuMemAlloc_v2(DevicePointer *address, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemAlloc_v2")
  if (bytes == 0)
    return invalidValue;
  if (bytes > size_t(1) << 30)
    return outOfMemory;
  std::vector<unsigned char> memory(bytes);
  *address = reinterpret_cast<DevicePointer>(memory.data());
  state.buffers[*address] = std::move(memory);
  return ok;
}

int cuMemFree_v2(DevicePointer address) {
  FAKE_BEGIN_IN_CONTEXT("cuMemFree_v2")
  return state.buffers.erase(address) ? ok : invalidValue;
}

int cuMemcpyHtoD_v2(DevicePointer to, const void *from, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemcpyHtoD_v2")
  unsigned char *memory = state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(memory, from, bytes);
  return ok;
}

int cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemcpyDtoH_v2")
  const unsigned char *memory = state.find(from, bytes);
  if (!memory)
    return invalidValue;
  std::memcpy(to, memory, bytes);
  return ok;
}

int cuMemsetD8_v2(DevicePointer to, unsigned char value, size_t bytes) {
  FAKE_BEGIN_IN_CONTEXT("cuMemsetD8_v2")
  unsigned char *memory = state.find(to, bytes);
  if (!memory)
    return invalidValue;
  std::memset(memory, value, bytes);
  return ok;
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

int cuStreamCreate(StreamHandle *stream, unsigned flags) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamCreate")
  *stream = new StreamObject;
  state.streams.insert(*stream);
  return ok;
}

int cuStreamDestroy_v2(StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamDestroy_v2")
  return destroy(state.streams, stream);
}

int cuStreamSynchronize(StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuStreamSynchronize")
  return !stream || state.streams.count(stream) ? ok : invalidHandle;
}

int cuEventCreate(EventHandle *event, unsigned flags) {
  FAKE_BEGIN_IN_CONTEXT("cuEventCreate")
  *event = new EventObject;
  state.events.insert(*event);
  return ok;
}

int cuEventDestroy_v2(EventHandle event) {
  FAKE_BEGIN_IN_CONTEXT("cuEventDestroy_v2")
  return destroy(state.events, event);
}

int cuEventRecord(EventHandle event, StreamHandle stream) {
  FAKE_BEGIN_IN_CONTEXT("cuEventRecord")
  if (!state.events.count(event) || (stream && !state.streams.count(stream)))
    return invalidHandle;
  event->time = ++state.time;
  return ok;
}

int cuEventSynchronize(EventHandle event) {
  FAKE_BEGIN_IN_CONTEXT("cuEventSynchronize")
  return state.events.count(event) ? ok : invalidHandle;
}

/// One millisecond a record that lies between the two.
int cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle stop) {
  FAKE_BEGIN_IN_CONTEXT("cuEventElapsedTime")
  if (!state.events.count(start) || !state.events.count(stop) || !start->time || !stop->time)
    return invalidHandle;
  *milliseconds = float(stop->time - start->time);
  return ok;
}

} // extern "C"
