// The dispatcher of a script in Python: a callable whose calls go straight to the C API.
//
// A call reads its arguments into values, the current target once, the device and the stream from the
// tensors, and calls the dispatcher, which compares it with the thread's last launch. All else (keywords that
// are no parameters, arrays of the host, launches that are replaced, errors) is the Python class's that
// derives from this type, by methods whose names begin with an underscore.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatch.h"

#include <structmember.h>

using namespace tilus::python;

bool tilus::python::callsAreObserved = false;
uint64_t tilus::python::optionGeneration = 0;

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Room for one entry a parameter, on the stack for as many as are usual.
template <typename T> class Room {
public:
  explicit Room(size_t count) : more(count > inlineCount ? count : 0) {}
  T *data() { return more.empty() ? few : more.data(); }

private:
  static constexpr size_t inlineCount = 64;
  T few[inlineCount];
  std::vector<T> more;
};
} // namespace

/// Puts arguments by position and by name where the parameters are, and defaults where there is none. False,
/// without an error, for a call that does not suit.
static bool bindArguments(const std::vector<ParamRow> &rows, PyObject *const *arguments, size_t count,
                          PyObject *names, PyObject **bound) {
  if (count > rows.size())
    return false;
  for (size_t index = 0; index < rows.size(); ++index)
    bound[index] = index < count ? arguments[index] : nullptr;
  for (Py_ssize_t number = 0; names && number < PyTuple_GET_SIZE(names); ++number) {
    PyObject *name = PyTuple_GET_ITEM(names, number);
    size_t index = 0;
    // Names in calls and of parameters are interned, nearly always.
    while (index < rows.size() && rows[index].pyName.ptr() != name &&
           PyUnicode_Compare(rows[index].pyName.ptr(), name) != 0)
      ++index;
    if (index == rows.size() || bound[index])
      return false;
    bound[index] = arguments[count + static_cast<size_t>(number)];
  }
  for (size_t index = 0; index < rows.size(); ++index)
    if (!bound[index] && !(bound[index] = rows[index].defaultValue.ptr()))
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

PyObject *tilus::python::launch(DispatcherState &state, const TilusValue *values, const TilusCallSite &site) {
  // A launch may wait for the GPU, whose work may wait for code in Python.
  PyThreadState *thread = PyEval_SaveThread();
  TilusError *error = tilusDispatcherCall(state.dispatcher, values, state.rows.size(), &site);
  PyEval_RestoreThread(thread);
  if (error) [[unlikely]] {
    setError(error);
    return nullptr;
  }
  Py_RETURN_NONE;
}

/// A call with keywords that are no parameters, or with too few or too many arguments.
static PyObject *callByName(PyObject *self, PyObject *const *arguments, size_t count, PyObject *names) {
  PyObject *method = PyObject_GetAttrString(self, "_call_by_name");
  if (!method)
    return nullptr;
  PyObject *result = PyObject_Vectorcall(method, arguments, count, names);
  Py_DECREF(method);
  return result;
}

/// A call that runs elsewhere than on the GPU of its tensors.
static PyObject *callElsewhere(PyObject *self, PyObject *const *arguments, size_t count, bool hasHost) {
  PyObject *tuple = PyTuple_New(static_cast<Py_ssize_t>(count));
  if (!tuple)
    return nullptr;
  for (size_t index = 0; index < count; ++index)
    PyTuple_SET_ITEM(tuple, static_cast<Py_ssize_t>(index), Py_NewRef(arguments[index]));
  PyObject *result = PyObject_CallMethod(self, "_call_elsewhere", "OO", tuple, hasHost ? Py_True : Py_False);
  Py_DECREF(tuple);
  return result;
}

/// Has the state chosen that the options ask for.
static bool refresh(PyObject *self) {
  PyObject *result = PyObject_CallMethod(self, "_refresh", nullptr);
  Py_XDECREF(result);
  if (result && !getState(self))
    PyErr_SetString(PyExc_TypeError, "expected a dispatcher that was set up, but got one that was not");
  return result && getState(self);
}

static PyObject *callDispatcher(PyObject *self, PyObject *const *arguments, size_t flags, PyObject *names) {
  DispatcherState *state = getState(self);
  size_t count = static_cast<size_t>(PyVectorcall_NARGS(flags));
  if (reinterpret_cast<DispatcherObject *>(self)->generation != optionGeneration || !state) [[unlikely]] {
    if (!refresh(self))
      return nullptr;
    state = getState(self);
  }
  Room<PyObject *> bound(state->rows.size());
  if (names || count != state->rows.size()) [[unlikely]] {
    if (!bindArguments(state->rows, arguments, count, names, bound.data()))
      return PyErr_Occurred() ? nullptr : callByName(self, arguments, count, names);
    arguments = bound.data();
  }
  Room<TilusValue> values(state->rows.size());
  CallPlace place;
  if (!readArguments(state->rows, arguments, values.data(), place)) [[unlikely]]
    return nullptr;
  if (place.hasHost || place.device < 0 || callsAreObserved) [[unlikely]]
    return callElsewhere(self, arguments, state->rows.size(), place.hasHost);
  TilusCallSite site = {sizeof(site), getDevice(place.device), nullptr, getScopedTarget()};
  if (!site.device || !findStream(place, site.stream)) [[unlikely]]
    return nullptr;
  return launch(*state, values.data(), site);
}

//===----------------------------------------------------------------------===//
// The type
//===----------------------------------------------------------------------===//

static PyObject *makeDispatcher(PyTypeObject *type, PyObject *, PyObject *) {
  auto *object = reinterpret_cast<DispatcherObject *>(type->tp_alloc(type, 0));
  if (object)
    object->call = callDispatcher;
  return reinterpret_cast<PyObject *>(object);
}

DispatcherState::~DispatcherState() {
  for (ParamRow &row : rows)
    Py_XDECREF(row.last);
  // Modules are unloaded, which may wait.
  PyThreadState *thread = PyEval_SaveThread();
  tilusDispatcherDestroy(dispatcher);
  PyEval_RestoreThread(thread);
}

static void destroyDispatcher(PyObject *self) {
  PyObject_GC_UnTrack(self);
  auto *object = reinterpret_cast<DispatcherObject *>(self);
  if (object->weakReferences)
    PyObject_ClearWeakRefs(self);
  delete object->states;
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

static int visitDispatcher(PyObject *self, visitproc visit, void *arg) {
  Py_VISIT(Py_TYPE(self));
  DispatcherStates *states = reinterpret_cast<DispatcherObject *>(self)->states;
  if (!states)
    return 0;
  for (auto &[record, state] : *states) {
    Py_VISIT(record);
    for (ParamRow &row : state->rows)
      Py_VISIT(row.defaultValue.ptr());
  }
  return 0;
}

static PyMemberDef members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(DispatcherObject, call), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(DispatcherObject, weakReferences), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr}};

static PyType_Slot slots[] = {{Py_tp_doc, const_cast<char *>("A callable whose calls launch kernels.")},
                              {Py_tp_new, reinterpret_cast<void *>(makeDispatcher)},
                              {Py_tp_dealloc, reinterpret_cast<void *>(destroyDispatcher)},
                              {Py_tp_traverse, reinterpret_cast<void *>(visitDispatcher)},
                              {Py_tp_call, reinterpret_cast<void *>(PyVectorcall_Call)},
                              {Py_tp_members, members},
                              {Py_tp_methods, dispatcherMethods},
                              {0, nullptr}};

static PyType_Spec spec = {
    "tilus._native.runtime.Dispatcher", sizeof(DispatcherObject), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_HAVE_VECTORCALL, slots};

/// Lets the instances of a class that derives from Dispatcher be called as fast as its own, which Python does
/// by itself since 3.12. The class must not have a `__call__` of its own.
static void finishClass(nb::handle type) {
  auto *object = reinterpret_cast<PyTypeObject *>(type.ptr());
  object->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
}

void tilus::python::bindDispatch(nb::module_ &module) {
  module.attr("Dispatcher") = nb::steal(PyType_FromSpec(&spec));
  module.def("finish_class", finishClass,
             "Lets instances of a class that derives from Dispatcher be called fast.");
  module.def(
      "observe_calls", [](bool isOn) { callsAreObserved = isOn; },
      "Whether all calls go through the method _call_elsewhere.");
  module.def(
      "note_options", [](uint64_t generation) { optionGeneration = generation; },
      "Has each dispatcher call its method _refresh before its next call.");
  bindArguments(module);
}
