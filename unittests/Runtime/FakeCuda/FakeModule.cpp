// The fake driver's modules and functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeState.h"

#include <cstdlib>
#include <cstring>
#include <sstream>

using namespace fake;

/// Reads an image; false for what is none. Sets the chip that it names.
static bool parseImage(const char *image, ModuleObject &module, std::string &chip) {
  FunctionObject &function = module.function;
  if (readCubinChip(image, chip)) {
    module.hasAnyEntry = true;
    function.chip = chip;
    return true;
  }
  function.image = image;
  std::istringstream text(image);
  std::string word;
  // PTX may begin with comments.
  while (text >> word && word.rfind("//", 0) == 0)
    std::getline(text, word);
  module.hasAnyEntry = word == ".version";
  if (module.hasAnyEntry)
    return true;
  if (word != "fake" ||
      !(text >> function.name >> function.registers >> function.localBytes >> function.sharedBytes))
    return false;
  for (; text >> word;) {
    if (word.rfind("chip=sm_", 0) == 0)
      chip = word.substr(std::strlen("chip=sm_"));
    else if (size_t equals = word.find('='); equals != std::string::npos)
      function.effects.emplace_back(word.substr(0, equals), std::atof(word.c_str() + equals + 1));
    else
      function.paramBytes.push_back(std::atoi(word.c_str()));
  }
  return true;
}

/// Whether a device of the capability runs the cubins of a chip, as in "90a": one with an `a` on that chip
/// only, one with an `f` on the same tens from its number on, others within their major number from their
/// minor on.
static bool runsOn(const std::string &chip, int capability) {
  int number = std::atoi(chip.c_str());
  if (chip.back() == 'a')
    return number == capability;
  return number / 10 == capability / 10 && number <= capability;
}

extern "C" {

int cuModuleLoadDataEx(ModuleHandle *handle, const void *image, unsigned count, JitOption *options,
                       void **values) {
  Call call("cuModuleLoadDataEx", currentContext | noCapture);
  if (call.code)
    return call.code;
  auto module = std::make_unique<ModuleObject>();
  std::string chip;
  if (!parseImage(static_cast<const char *>(image), *module, chip)) {
    for (unsigned i = 0; i < count; ++i)
      if (options[i] == jitErrorLogBuffer)
        std::strcpy(static_cast<char *>(values[i]), "fake: not a module image\n");
    return invalidImage;
  }
  int device = call.context->device;
  if (!chip.empty() && !runsOn(chip, call.state.capabilities[device]))
    return noBinaryForGpu;
  module->function.context = call.context;
  if (!module->function.effects.empty())
    raise(hasOrders);
  *handle = module.get();
  call.state.modules.insert(*handle);
  call.state.moduleStorage.push_back(std::move(module));
  call.state.record("cuModuleLoadDataEx device=" + std::to_string(device));
  return ok;
}

int cuModuleUnload(ModuleHandle module) {
  Call call("cuModuleUnload", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (!call.state.modules.erase(module))
    return invalidHandle;
  FunctionObject &function = module->function;
  function.isAlive = false;
  if (function.inFlight > 0)
    call.state.violations += "cuModuleUnload of '" + function.name + "' during its launch\n";
  bool isUnsafe = has(isCapturing) && getThreadCaptureMode() != captureRelaxed;
  if (isUnsafe || call.state.isCaptured(&function))
    call.state.violations += "cuModuleUnload of '" + function.name + "' during a capture\n";
  call.state.record("cuModuleUnload device=" + std::to_string(function.context->device));
  return ok;
}

int cuModuleGetFunction(FunctionHandle *function, ModuleHandle module, const char *name) {
  Call call("cuModuleGetFunction", currentContext | noCapture);
  if (call.code)
    return call.code;
  if (!call.state.modules.count(module) || module->function.context != call.context)
    return invalidHandle;
  if (module->hasAnyEntry)
    module->function.name = name;
  if (module->function.name != name)
    return notFound;
  *function = &module->function;
  return ok;
}

int cuFuncGetAttribute(int *value, FunctionAttribute attribute, FunctionHandle function) {
  Call call("cuFuncGetAttribute", currentContext);
  if (call.code)
    return call.code;
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
  Call call("cuFuncSetAttribute", currentContext);
  if (call.code)
    return call.code;
  call.state.record("cuFuncSetAttribute " + function->name + " " + std::to_string(attribute) + "=" +
                    std::to_string(value));
  return ok;
}

} // extern "C"
