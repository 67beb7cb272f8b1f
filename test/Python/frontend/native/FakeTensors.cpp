// Tensors for tests: any address, on any device, seen through DLPack's table of functions as those of
// frameworks are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "../../../../python/src/DLPack.h"

#include <cstddef>
#include <structmember.h>
#include <vector>

using namespace tilus::python::dlpack;

namespace {
struct FakeTensor {
  PyObject_HEAD unsigned long long address;
  unsigned char code;
  unsigned char bits;
  int deviceType;
  int device;
  int hasStrides;
  std::vector<int64_t> *shape;
  std::vector<int64_t> *strides;
};
} // namespace

static void *currentStreamHandle = nullptr;

static bool readTuple(PyObject *tuple, std::vector<int64_t> &numbers) {
  PyObject *list = PySequence_Fast(tuple, "expected a sequence");
  for (Py_ssize_t index = 0; list && index < PySequence_Fast_GET_SIZE(list); ++index)
    numbers.push_back(PyLong_AsLongLong(PySequence_Fast_GET_ITEM(list, index)));
  Py_XDECREF(list);
  return !PyErr_Occurred();
}

static int initialize(PyObject *object, PyObject *args, PyObject *keywords) {
  auto *self = reinterpret_cast<FakeTensor *>(object);
  static const char *names[] = {"address",     "shape",  "code",    "bits",
                                "device_type", "device", "strides", nullptr};
  PyObject *shape = nullptr, *strides = Py_None;
  self->code = codeFloat;
  self->bits = 32;
  self->deviceType = deviceCuda;
  self->device = 0;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "KO|bbiiO", const_cast<char **>(names), &self->address,
                                   &shape, &self->code, &self->bits, &self->deviceType, &self->device,
                                   &strides))
    return -1;
  self->shape = new std::vector<int64_t>();
  self->strides = new std::vector<int64_t>();
  self->hasStrides = strides != Py_None;
  bool isRead = readTuple(shape, *self->shape) && (!self->hasStrides || readTuple(strides, *self->strides));
  return isRead ? 0 : -1;
}

static void destroy(PyObject *object) {
  auto *self = reinterpret_cast<FakeTensor *>(object);
  delete self->shape;
  delete self->strides;
  PyTypeObject *type = Py_TYPE(object);
  type->tp_free(object);
  Py_DECREF(type);
}

static int view(void *object, Tensor *tensor) {
  auto *self = static_cast<FakeTensor *>(object);
  *tensor = {reinterpret_cast<void *>(self->address),
             self->deviceType,
             self->device,
             static_cast<int32_t>(self->shape->size()),
             self->code,
             self->bits,
             1,
             self->shape->data(),
             self->hasStrides ? self->strides->data() : nullptr,
             0};
  return 0;
}

static int currentStream(int32_t, int32_t, void **stream) {
  *stream = currentStreamHandle;
  return 0;
}

static ExchangeTable table = {1, 3, nullptr, nullptr, nullptr, nullptr, view, currentStream};

static PyMemberDef members[] = {{"address", T_ULONGLONG, offsetof(FakeTensor, address), 0, nullptr},
                                {"device", T_INT, offsetof(FakeTensor, device), 0, nullptr},
                                {nullptr, 0, 0, 0, nullptr}};

static PyType_Slot slots[] = {{Py_tp_init, reinterpret_cast<void *>(initialize)},
                              {Py_tp_new, reinterpret_cast<void *>(PyType_GenericNew)},
                              {Py_tp_dealloc, reinterpret_cast<void *>(destroy)},
                              {Py_tp_members, members},
                              {0, nullptr}};

static PyType_Spec spec = {"fake_tensors.Tensor", sizeof(FakeTensor), 0,
                           Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};

static PyObject *setStream(PyObject *, PyObject *handle) {
  currentStreamHandle = PyLong_AsVoidPtr(handle);
  if (PyErr_Occurred())
    return nullptr;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"set_stream", setStream, METH_O, "Makes a handle the current stream."},
                                {nullptr, nullptr, 0, nullptr}};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "fake_tensors", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

PyMODINIT_FUNC PyInit_fake_tensors() {
  PyObject *module = PyModule_Create(&definition);
  PyObject *type = PyType_FromSpec(&spec);
  PyObject *capsule = PyCapsule_New(&table, exchangeCapsule, nullptr);
  if (!module || !type || !capsule ||
      PyObject_SetAttrString(type, "__dlpack_c_exchange_api__", capsule) != 0 ||
      PyModule_AddObject(module, "Tensor", type) != 0)
    return nullptr;
  Py_DECREF(capsule);
  return module;
}
