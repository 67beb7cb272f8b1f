// The fake driver's launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeLaunch.h"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace fake;

/// What the driver checks before it launches. Takes no lock.
static int checkLaunch(const LaunchConfig &config, FunctionHandle function) {
  ContextHandle context = getContextStack().getCurrent();
  if (!context)
    return invalidContext;
  if (!function || !function->isAlive.load(std::memory_order_relaxed) || function->context != context)
    return invalidHandle;
  if (config.stream &&
      (!config.stream->isAlive.load(std::memory_order_relaxed) || config.stream->context != context))
    return invalidHandle;
  for (unsigned axis = 0; axis < 3; ++axis)
    if (config.grid[axis] == 0 || config.block[axis] == 0)
      return invalidValue;
  return config.block[0] * config.block[1] * config.block[2] <= 1024 ? ok : invalidValue;
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

static std::string printLaunch(const char *symbol, const LaunchConfig &config, FunctionHandle function,
                               void **params) {
  std::string line = std::string(symbol) + " " + function->name +
                     (function->chip.empty() ? "" : " chip=sm_" + function->chip) +
                     " device=" + std::to_string(function->context->device) +
                     " grid=" + printExtents(config.grid) + " block=" + printExtents(config.block) +
                     " shared=" + std::to_string(config.sharedBytes) + " stream=" +
                     (!config.stream           ? "default"
                      : config.stream->capture ? "capture"
                                               : "own");
  for (unsigned i = 0; i < config.attributeCount; ++i)
    if (config.attributes[i].id == launchClusterDimension)
      line += " cluster=" + printExtents(config.attributes[i].value.clusterDimension);
  line += " params=";
  for (size_t i = 0; i < function->paramBytes.size(); ++i)
    line += (i ? "," : "") + printParam(params[i], function->paramBytes[i]);
  return line;
}

/// Adds the launch to the graph that the stream captures.
static int capture(StreamObject &stream, const LaunchConfig &config, FunctionHandle function, void **params) {
  if (stream.isCaptureInvalid)
    return captureInvalidated;
  CapturedLaunch launch = {function, config, {}};
  launch.config.attributes = nullptr;
  launch.config.attributeCount = 0;
  for (size_t i = 0; i < function->paramBytes.size(); ++i) {
    const auto *value = static_cast<const unsigned char *>(params[i]);
    launch.params.emplace_back(value, value + function->paramBytes[i]);
  }
  stream.capture->launches.push_back(std::move(launch));
  return ok;
}

/// Does what the image of the kernel says.
static void runEffects(const FunctionObject &function, FakeLaunch &launch) {
  for (const auto &[name, value] : function.effects) {
    if (name == "add")
      for (int64_t i = 0, count = *static_cast<int64_t *>(launch.params[1]); i < count; ++i)
        (*static_cast<int32_t **>(launch.params[0]))[i] += int32_t(value);
    else if (name == "ms")
      launch.milliseconds = value;
    else if (name == "fault")
      launch.fault = int(value);
    else if (name == "hang")
      launch.hangs = true;
    else if (name == "exit")
      _exit(int(value));
    else if (name == "kill")
      kill(getpid(), int(value));
  }
}

/// Runs the code of the kernel without the lock, and takes over what it did to its stream.
static void runKernel(Call &call, const Kernel &kernel, const LaunchConfig &config, FunctionHandle function,
                      void **params) {
  FakeLaunch launch = {};
  launch.entry = function->name.c_str();
  launch.image = function->image.c_str();
  launch.device = call.context->device;
  launch.stream = config.stream;
  std::memcpy(launch.grid, config.grid, sizeof(launch.grid));
  std::memcpy(launch.block, config.block, sizeof(launch.block));
  launch.sharedBytes = config.sharedBytes;
  launch.params = params;
  launch.paramCount = int(function->paramBytes.size());
  ++function->inFlight;
  call.lock.unlock();
  runEffects(*function, launch);
  if (kernel.code)
    kernel.code(kernel.context, &launch);
  call.lock.lock();
  --function->inFlight;
  StreamObject &stream = config.stream ? *config.stream : call.context->defaultStream;
  stream.milliseconds += launch.milliseconds;
  stream.hangs |= launch.hangs;
  if (launch.fault) {
    call.context->fault = launch.fault;
    raise(isFaulty);
  }
}

int fake::runLaunch(const char *symbol, const LaunchConfig &config, FunctionHandle function, void **params) {
  if (!has(~0u))
    return checkLaunch(config, function);
  if (function)
    ++function->inFlight;
  Call call(symbol, currentContext);
  if (function)
    --function->inFlight;
  if (!call.code)
    call.code = checkLaunch(config, function);
  if (call.code)
    return call.code;
  State &state = call.state;
  if (!config.stream && has(isCapturing) && state.breakCaptures())
    return captureImplicit;
  if (has(isRecording))
    state.record(printLaunch(symbol, config, function, params));
  if (config.stream && config.stream->capture)
    return capture(*config.stream, config, function, params);
  auto found = state.kernels.find(function->name);
  Kernel kernel = found != state.kernels.end() ? found->second : Kernel();
  if (kernel.code || !function->effects.empty())
    runKernel(call, kernel, config, function, params);
  return ok;
}

extern "C" int cuLaunchKernelEx(const LaunchConfig *config, FunctionHandle function, void **params,
                                void **extra) {
  return runLaunch("cuLaunchKernelEx", *config, function, params);
}
