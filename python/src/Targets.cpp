// Targets in Python, the current target of a context, and devices.
//
// The current target is a context variable: threads and asynchronous tasks do not see one another's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runtime.h"

#include <nanobind/stl/vector.h>

#include <array>
#include <unordered_map>

using namespace tilus::python;

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// Holds a handle. Set once, at import.
static PyObject *currentTarget;
/// Whether a scope was entered in this process: before that no context has one.
static bool hasScopes = false;

nb::object tilus::python::getHandle(const TilusTarget *target) {
  // They stay for the rest of the process, as targets do.
  static auto *handles = new std::unordered_map<const TilusTarget *, nb::object>();
  nb::object &handle = (*handles)[target];
  if (!handle.is_valid())
    handle = nb::cast(new TargetHandle{target}, nb::rv_policy::take_ownership);
  return handle;
}

const TilusTarget *tilus::python::getScopedTarget() {
  if (!hasScopes)
    return nullptr;
  PyObject *value = nullptr;
  if (PyContextVar_Get(currentTarget, nullptr, &value) != 0) {
    PyErr_Clear();
    return nullptr;
  }
  if (!value)
    return nullptr;
  const TilusTarget *target = nullptr;
  // Nobody else can set the variable, which is not public.
  if (value != Py_None)
    target = nb::inst_ptr<TargetHandle>(value)->target;
  Py_DECREF(value);
  return target;
}

static nb::object enterScope(const TargetHandle &handle) {
  hasScopes = true;
  return nb::steal(PyContextVar_Set(currentTarget, getHandle(handle.target).ptr()));
}

static void leaveScope(nb::handle token) {
  if (PyContextVar_Reset(currentTarget, token.ptr()) != 0)
    throw nb::python_error();
}

static nb::object findCurrent() {
  const TilusTarget *target = getScopedTarget();
  if (!target)
    target = tilusTargetGetCurrent();
  return target ? getHandle(target) : nb::none();
}

static nb::object lookUp(std::string_view name) { return getHandle(lookUpTarget(name)); }

static std::vector<std::string> getChips() {
  std::vector<std::string> chips;
  for (size_t index = 0; index < tilusTargetGetChipCount(); ++index)
    chips.push_back(tilusTargetGetChipAt(index));
  return chips;
}

void tilus::python::bindTargets(nb::module_ &module) {
  currentTarget = PyContextVar_New("tilus_target", nullptr);
  nb::class_<TargetHandle>(module, "TargetHandle", "A target: one object a distinct chip and features.")
      .def_prop_ro("name", [](const TargetHandle &self) { return tilusTargetGetName(self.target); })
      .def_prop_ro("chip", [](const TargetHandle &self) { return tilusTargetGetChip(self.target); })
      .def_prop_ro("features", [](const TargetHandle &self) { return tilusTargetGetFeatures(self.target); })
      .def_prop_ro("triple", [](const TargetHandle &self) { return tilusTargetGetTriple(self.target); })
      .def_prop_ro("shared_memory_per_block",
                   [](const TargetHandle &self) { return tilusTargetGetSharedMemory(self.target); })
      .def("supports",
           [](const TargetHandle &self, const TargetHandle &other) {
             return tilusTargetSupports(self.target, other.target);
           })
      .def("has_feature", [](const TargetHandle &self,
                             const char *feature) { return tilusTargetHasFeature(self.target, feature); })
      .def("can_run_on", [](const TargetHandle &self, int major, int minor) {
        return tilusTargetCanRunOn(self.target, major, minor);
      });
  module.def("lookup_target", lookUp, nb::arg("name"),
             "The target of a name such as 'sm_90a' or 'sm_90a,+ptx88'. Raises ValueError for one that is "
             "not known.");
  module.def("chips", getChips, "The names of all chips.");
  module.def("current_target", findCurrent, "The target of the innermost scope, or None.");
  module.def("enter_scope", enterScope, "Makes a target the current one; returns a token for leave_scope.");
  module.def("leave_scope", leaveScope, "Ends the scope of a token.");
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

static constexpr int maxDevices = 64;
/// Opened devices, which stay open: kernels that are loaded on them live as long.
static std::array<TilusDevice *, maxDevices> devices = {};

static TilusDriver *getDriver() {
  static TilusDriver *driver = nullptr;
  if (!driver)
    check(tilusDriverLoad(nullptr, &driver));
  return driver;
}

static const TilusDevice *openDevice(int ordinal) {
  if (ordinal < 0 || ordinal >= maxDevices)
    throw nb::value_error(("expected the number of a device below " + std::to_string(maxDevices) +
                           ", but got " + std::to_string(ordinal))
                              .c_str());
  if (!devices[ordinal])
    check(tilusDeviceOpen(getDriver(), static_cast<unsigned>(ordinal), &devices[ordinal]));
  return devices[ordinal];
}

const TilusDevice *tilus::python::getDevice(int ordinal) {
  if (ordinal >= 0 && ordinal < maxDevices && devices[ordinal])
    return devices[ordinal];
  try {
    return openDevice(ordinal);
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  }
  return nullptr;
}

static unsigned countDevices() {
  unsigned count = 0;
  check(tilusDriverGetDeviceCount(getDriver(), &count));
  return count;
}

static nb::object describeDevice(int ordinal) {
  const TilusDevice *device = openDevice(ordinal);
  int major = 0, minor = 0;
  tilusDeviceGetCapability(device, &major, &minor);
  const TilusTarget *target = tilusDeviceGetDefaultTarget(device);
  return nb::make_tuple(tilusDeviceGetName(device), nb::make_tuple(major, minor),
                        target ? getHandle(target) : nb::none());
}

static int getAttribute(int ordinal, int attribute) {
  int value = 0;
  check(tilusDeviceGetAttribute(openDevice(ordinal), attribute, &value));
  return value;
}

static uint64_t getTotalMemory(int ordinal) {
  uint64_t bytes = 0;
  check(tilusDeviceGetTotalMemory(openDevice(ordinal), &bytes));
  return bytes;
}

static std::string getCudaVersion() {
  int version = tilusDriverGetVersion(getDriver());
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

namespace {
/// Memory of a device.
struct Buffer {
  std::shared_ptr<TilusBuffer> handle;
};

struct Timer {
  std::shared_ptr<TilusTimer> handle;
};
} // namespace

static Buffer makeBuffer(int ordinal, uint64_t bytes) {
  TilusBuffer *buffer = nullptr;
  check(tilusBufferAllocate(openDevice(ordinal), bytes, &buffer));
  return {std::shared_ptr<TilusBuffer>(buffer, tilusBufferDestroy)};
}

static Timer makeTimer(int ordinal) {
  TilusTimer *timer = nullptr;
  check(tilusTimerCreate(openDevice(ordinal), &timer));
  return {std::shared_ptr<TilusTimer>(timer, tilusTimerDestroy)};
}

static float getMilliseconds(const Timer &self) {
  float milliseconds = 0;
  TilusError *error;
  {
    nb::gil_scoped_release release;
    error = tilusTimerGetMilliseconds(self.handle.get(), &milliseconds);
  }
  check(error);
  return milliseconds;
}

static void bindTimers(nb::module_ &module) {
  nb::class_<Buffer>(module, "Buffer", "Memory of a device.")
      .def(
          "__init__",
          [](Buffer *self, int device, uint64_t bytes) { new (self) Buffer(makeBuffer(device, bytes)); },
          nb::arg("device"), nb::arg("bytes"))
      .def_prop_ro("address", [](const Buffer &self) { return tilusBufferGetAddress(self.handle.get()); })
      .def(
          "fill", [](Buffer &self, uint8_t value) { check(tilusBufferFill(self.handle.get(), value)); },
          nb::arg("value"), "Sets every byte, in the default stream.");
  nb::class_<Timer>(module, "Timer", "The device's time between two points of its default stream.")
      .def(
          "__init__", [](Timer *self, int device) { new (self) Timer(makeTimer(device)); }, nb::arg("device"))
      .def("start", [](Timer &self) { check(tilusTimerStart(self.handle.get(), nullptr)); })
      .def("stop", [](Timer &self) { check(tilusTimerStop(self.handle.get(), nullptr)); })
      .def_prop_ro("milliseconds", getMilliseconds, "Waits for the second point.");
}

void tilus::python::bindDevices(nb::module_ &module) {
  bindTimers(module);
  module.def("device_count", countDevices, "The number of GPUs. Raises where there is no driver.");
  module.def("describe_device", describeDevice, nb::arg("ordinal"),
             "The name, the compute capability and the default target (or None) of a device.");
  module.def("device_attribute", getAttribute, nb::arg("ordinal"), nb::arg("attribute"),
             "An attribute of a device, by its number in the driver's CUdevice_attribute.");
  module.def("device_memory", getTotalMemory, nb::arg("ordinal"), "The bytes of a device's memory.");
  module.def("cuda_version", getCudaVersion, "The CUDA version that the driver supports, as \"13.0\".");
  module.def(
      "synchronize",
      [](int ordinal) {
        const TilusDevice *device = openDevice(ordinal);
        TilusError *error;
        {
          nb::gil_scoped_release release;
          error = tilusDeviceSynchronize(device);
        }
        check(error);
      },
      nb::arg("device") = 0, "Waits for all work on a device.");
}
