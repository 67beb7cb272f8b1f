// The fake driver's modules, functions and launches.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstdio>
#include <cstring>
#include <sstream>

using namespace fake;

extern "C" {

int cuModuleLoadDataEx(ModuleHandle *module, const void *image, unsigned count, JitOption *options,
                       void **values) {
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

int cuFuncGetAttribute(int *value, FunctionAttribute attribute, FunctionHandle function) {
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

int cuFuncSetAttribute(FunctionHandle function, FunctionAttribute attribute, int value) {
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

} // extern "C"
