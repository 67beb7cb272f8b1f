// Reading arguments: numbers by their value, tensors by the table of functions that their framework has for
// that, and all else by the functions of tilus.runtime.arguments.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Arguments.h"
#include "TorchView.h"

#include <nanobind/stl/tuple.h>

#include <cstring>
#include <unordered_map>

using namespace tilus::python;

//===----------------------------------------------------------------------===//
// Errors and functions in Python
//===----------------------------------------------------------------------===//

static nb::object getHelper(const char *name) {
  return nb::module_::import_("tilus.runtime.arguments").attr(name);
}

/// Raises what is wrong with an argument.
[[noreturn]] static void refuse(const ParamRow &row, PyObject *object) {
  getHelper("refuse")(row.name, static_cast<int>(row.kind), nb::handle(object), row.type);
  throw nb::type_error(("expected another value for parameter '" + row.name + "'").c_str());
}

//===----------------------------------------------------------------------===//
// Numbers and constants
//===----------------------------------------------------------------------===//

/// Texts and large integers, by a number each. They stay for the rest of the process, as kernels do.
static std::vector<nb::object> &getOpaqueObjects() {
  static auto *objects = new std::vector<nb::object>();
  return *objects;
}

static TilusValue makeOpaque(PyObject *object) {
  static auto *numbers = new nb::dict();
  nb::handle key(object);
  if (!numbers->contains(key)) {
    (*numbers)[key] = nb::int_(getOpaqueObjects().size());
    getOpaqueObjects().push_back(nb::borrow(key));
  }
  return tilusValueOpaque(nb::cast<uint64_t>((*numbers)[key]));
}

nb::object tilus::python::makeConstant(TilusValue value) {
  uint64_t bits = tilusValueGetBits(value);
  switch (tilusValueGetTag(value)) {
  case TilusValueTagBool:
    return nb::bool_(bits != 0);
  case TilusValueTagInt:
    return nb::int_(static_cast<int64_t>(bits));
  case TilusValueTagFloat: {
    double number;
    std::memcpy(&number, &bits, sizeof(number));
    return nb::float_(number);
  }
  case TilusValueTagOpaque:
    return getOpaqueObjects()[bits];
  default:
    return nb::none();
  }
}

/// Reads an integer; false, without an error, if it takes more than 64 bits.
static bool readInteger(PyObject *object, int64_t &number) {
  int overflow = 0;
  number = PyLong_AsLongLongAndOverflow(object, &overflow);
  return overflow == 0;
}

/// An object of Python's own number types that another one, as numpy's, stands for; null if it is no number.
static PyObject *convertNumber(PyObject *object) {
  nb::object converted = getHelper("to_number")(nb::handle(object));
  return converted.is_none() ? nullptr : converted.release().ptr();
}

static bool readConstant(const ParamRow &row, PyObject *object, TilusValue &value) {
  int64_t number;
  if (PyBool_Check(object)) {
    value = tilusValueBool(object == Py_True);
    return row.constantTypes & takesBool;
  }
  if (PyLong_CheckExact(object)) {
    value = readInteger(object, number) ? tilusValueInt(number) : makeOpaque(object);
    return row.constantTypes & takesInt;
  }
  if (PyFloat_CheckExact(object)) {
    value = tilusValueFloat(PyFloat_AS_DOUBLE(object));
    return row.constantTypes & takesFloat;
  }
  if (!PyUnicode_CheckExact(object))
    return false;
  value = makeOpaque(object);
  return row.constantTypes & takesText;
}

/// Reads an integer for the kernel, which must be a value of the parameter's type.
static bool readKernelInteger(const ParamRow &row, PyObject *object, TilusValue &value) {
  int64_t number;
  bool fits = readInteger(object, number);
  if (row.kind == TilusParamKindFloat) {
    value = tilusValueInt(number);
    return fits;
  }
  if (!fits && row.most > INT64_MAX) {
    uint64_t large = PyLong_AsUnsignedLongLong(object);
    bool isRead = !PyErr_Occurred();
    PyErr_Clear();
    value = tilusValueInt(static_cast<int64_t>(large));
    return isRead;
  }
  value = tilusValueInt(number);
  return fits && number >= row.least && (number < 0 || static_cast<uint64_t>(number) <= row.most);
}

/// Reads an object of Python's own types.
static bool readNumber(const ParamRow &row, PyObject *object, TilusValue &value) {
  if (row.kind == TilusParamKindConstant)
    return readConstant(row, object, value);
  if (PyBool_Check(object)) {
    value = tilusValueBool(object == Py_True);
    return row.kind == TilusParamKindInteger;
  }
  if (PyLong_CheckExact(object))
    return readKernelInteger(row, object, value);
  value = PyFloat_CheckExact(object) ? tilusValueFloat(PyFloat_AS_DOUBLE(object)) : tilusValueNone();
  return PyFloat_CheckExact(object) && row.kind == TilusParamKindFloat;
}

/// Reads a value that is not the last one.
static void readNewNumber(ParamRow &row, PyObject *object, TilusValue &value) {
  if (readNumber(row, object, value)) {
    Py_INCREF(object);
    Py_XSETREF(row.last, object);
    row.lastValue = value;
    return;
  }
  nb::object converted = nb::steal(convertNumber(object));
  if (!converted.is_valid() || !readNumber(row, converted.ptr(), value))
    refuse(row, object);
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// The table of a type of tensors; null if it has none.
static const dlpack::ExchangeTable *lookUpTable(PyTypeObject *type) {
  nb::handle handle(reinterpret_cast<PyObject *>(type));
  nb::object capsule = nb::getattr(handle, "__dlpack_c_exchange_api__", nb::none());
  if (!PyCapsule_IsValid(capsule.ptr(), dlpack::exchangeCapsule))
    return nullptr;
  auto *table = static_cast<const dlpack::ExchangeTable *>(
      PyCapsule_GetPointer(capsule.ptr(), dlpack::exchangeCapsule));
  while (table && table->major > 1)
    table = table->previous;
  return table && table->major == 1 && table->view && table->currentStream ? table : nullptr;
}

namespace {
/// How tensors of a type are shown.
struct Access {
  const dlpack::ExchangeTable *table;
  bool isTorch;
};
} // namespace

static TorchView torchView;

/// The same, remembered; the types stay for the rest of the process.
static const Access &findAccess(PyTypeObject *type) {
  static PyTypeObject *lastType = nullptr;
  static const Access *lastAccess = nullptr;
  if (type == lastType) [[likely]]
    return *lastAccess;
  static auto *known = new std::unordered_map<PyTypeObject *, Access>();
  auto found = known->find(type);
  if (found == known->end()) {
    const dlpack::ExchangeTable *table = lookUpTable(type);
    bool isTorch = table && torchView.prepare(reinterpret_cast<PyObject *>(type));
    found = known->emplace(type, Access{table, isTorch}).first;
    Py_INCREF(type);
  }
  lastType = type;
  return *(lastAccess = &found->second);
}

/// The bytes of memory that the elements take; -1 for elements that do not lie dense and in order.
static int64_t countBytes(const dlpack::Tensor &tensor) {
  int64_t count = 1;
  for (int axis = tensor.rank - 1; axis >= 0; --axis) {
    int64_t size = tensor.shape[axis];
    if (tensor.strides && size != 1 && tensor.strides[axis] != count) {
      for (int other = 0; other < tensor.rank; ++other)
        if (tensor.shape[other] == 0)
          return 0;
      return -1;
    }
    count *= size;
  }
  return (count * tensor.bits * tensor.lanes + 7) / 8;
}

/// Takes a tensor; false if it does not suit the parameter.
static bool takeTensor(const ParamRow &row, const dlpack::Tensor &tensor, TilusValue &value,
                       CallPlace &place) {
  if (row.bits && (tensor.bits != row.bits || !(row.codes >> tensor.code & 1)))
    return false;
  int64_t bytes = countBytes(tensor);
  if (bytes < 0)
    return false;
  unsigned device = TILUS_DEVICE_HOST;
  if (tensor.deviceType == dlpack::deviceCuda) [[likely]] {
    device = static_cast<unsigned>(tensor.device);
    if (place.device < 0)
      place.device = tensor.device;
  } else if (tensor.deviceType == dlpack::deviceCudaManaged) {
    device = TILUS_DEVICE_UNKNOWN;
  } else if (tensor.deviceType == dlpack::deviceCpu || tensor.deviceType == dlpack::deviceCudaHost) {
    place.hasHost = true;
  } else {
    return false;
  }
  uint64_t address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  value = tilusValuePointer(address, static_cast<uint64_t>(bytes), device);
  return true;
}

/// A tensor of a type without a table, described by Python.
static void readDescribed(const ParamRow &row, PyObject *object, TilusValue &value, CallPlace &place) {
  nb::object description = getHelper("describe")(nb::handle(object));
  if (description.is_none())
    refuse(row, object);
  auto [address, code, bits, deviceType, device, shape, strides] =
      nb::cast<std::tuple<uint64_t, int, int, int, int, nb::tuple, nb::object>>(description);
  std::vector<int64_t> sizes, steps;
  for (nb::handle size : shape)
    sizes.push_back(nb::cast<int64_t>(size));
  if (!strides.is_none())
    for (nb::handle step : strides)
      steps.push_back(nb::cast<int64_t>(step));
  dlpack::Tensor tensor = {reinterpret_cast<void *>(address),
                           deviceType,
                           device,
                           static_cast<int32_t>(sizes.size()),
                           static_cast<uint8_t>(code),
                           static_cast<uint8_t>(bits),
                           1,
                           sizes.data(),
                           strides.is_none() ? nullptr : steps.data(),
                           0};
  if (!takeTensor(row, tensor, value, place))
    refuse(row, object);
  if (deviceType == dlpack::deviceCuda && !place.streamOwner)
    place.streamOwner = object;
}

static void readPointer(const ParamRow &row, PyObject *object, TilusValue &value, CallPlace &place) {
  if (object == Py_None) {
    value = tilusValueNone();
    return;
  }
  const Access &access = findAccess(Py_TYPE(object));
  const dlpack::ExchangeTable *table = access.table;
  if (!table) {
    readDescribed(row, object, value, place);
    return;
  }
  dlpack::Tensor tensor;
  if (!access.isTorch || !torchView.view(object, tensor)) {
    if (table->view(object, &tensor) != 0) [[unlikely]] {
      if (PyErr_Occurred())
        throw nb::python_error();
      refuse(row, object);
    }
    if (access.isTorch)
      torchView.learn(object, tensor);
  }
  if (!takeTensor(row, tensor, value, place)) [[unlikely]]
    refuse(row, object);
  if (tensor.deviceType == dlpack::deviceCuda)
    place.exchange = table;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static void readAll(std::vector<ParamRow> &rows, PyObject *const *arguments, TilusValue *values,
                    CallPlace &place) {
  for (ParamRow &row : rows) {
    PyObject *object = *arguments++;
    if (row.kind == TilusParamKindPointer)
      readPointer(row, object, *values, place);
    else if (object == row.last) [[likely]]
      *values = row.lastValue;
    else
      readNewNumber(row, object, *values);
    ++values;
  }
}

bool tilus::python::readArguments(std::vector<ParamRow> &rows, PyObject *const *arguments, TilusValue *values,
                                  CallPlace &place) {
  try {
    readAll(rows, arguments, values, place);
    return true;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (nb::builtin_exception &error) {
    PyErr_SetString(error.type() == nb::exception_type::value_error ? PyExc_ValueError : PyExc_TypeError,
                    error.what());
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return false;
}

bool tilus::python::findStream(const CallPlace &place, void *&stream) {
  stream = nullptr;
  if (place.exchange) [[likely]] {
    if (place.exchange->currentStream(dlpack::deviceCuda, place.device, &stream) == 0) [[likely]]
      return true;
    if (!PyErr_Occurred())
      PyErr_SetString(PyExc_RuntimeError, "expected the current stream of the framework, but got none");
    return false;
  }
  if (!place.streamOwner)
    return true;
  try {
    auto handle = nb::cast<uint64_t>(getHelper("find_stream")(nb::handle(place.streamOwner), place.device));
    stream = reinterpret_cast<void *>(handle);
    return true;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return false;
}

//===----------------------------------------------------------------------===//
// For Python
//===----------------------------------------------------------------------===//

static nb::tuple describe(const dlpack::Tensor &tensor) {
  nb::list shape, strides;
  for (int axis = 0; axis < tensor.rank; ++axis) {
    shape.append(tensor.shape[axis]);
    if (tensor.strides)
      strides.append(tensor.strides[axis]);
  }
  uint64_t address = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  nb::object steps = tensor.strides ? nb::object(nb::tuple(strides)) : nb::none();
  return nb::make_tuple(address, tensor.code, tensor.bits * tensor.lanes, tensor.deviceType, tensor.device,
                        nb::tuple(shape), steps);
}

/// A tensor of a type that has a table; None for other objects.
static nb::object viewTensor(nb::handle object) {
  const dlpack::ExchangeTable *table = findAccess(Py_TYPE(object.ptr())).table;
  if (!table)
    return nb::none();
  dlpack::Tensor tensor;
  if (table->view(object.ptr(), &tensor) == 0)
    return describe(tensor);
  if (PyErr_Occurred())
    throw nb::python_error();
  return nb::none();
}

/// What the older form of DLPack shows; the capsule keeps its tensor.
static nb::tuple viewCapsule(nb::handle capsule) {
  auto *tensor = static_cast<dlpack::Tensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (!tensor)
    throw nb::python_error();
  return describe(*tensor);
}

void tilus::python::bindArguments(nb::module_ &module) {
  module.def(
      "view_tensor", viewTensor,
      "The address, code, bits, device type, device, shape and strides (or None) of a tensor whose type has "
      "a table of functions of DLPack; None for other objects.");
  module.def(
      "torch_view", [] { return nb::make_tuple(torchView.isProven(), torchView.getKindCount()); },
      "Whether torch's tensors are read without a call, and how many kinds of them.");
  module.def("view_capsule", viewCapsule, "The same of a capsule of DLPack.");
}
