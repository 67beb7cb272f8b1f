// The methods of a dispatcher in Python beside its call: setting up, compiling, finding, tables and counters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Dispatch.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <utility>

using namespace tilus::python;

//===----------------------------------------------------------------------===//
// Exceptions that cross the C API
//===----------------------------------------------------------------------===//

/// The exceptions of callbacks by their message, for the calls that they are part of and for threads that
/// waited for another's compilation.
static std::map<std::string, nb::object> &getFailures() {
  static auto *failures = new std::map<std::string, nb::object>();
  return *failures;
}

TilusError *tilus::python::keepException() {
  constexpr size_t maxFailures = 64;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (trace)
    PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  nb::object kept = nb::steal(value);
  nb::object text = nb::steal(PyObject_Str(value));
  std::string message = text.is_valid() ? nb::cast<std::string>(text) : "";
  if (!text.is_valid())
    PyErr_Clear();
  if (message.empty())
    message = Py_TYPE(value)->tp_name;
  if (getFailures().size() >= maxFailures)
    getFailures().clear();
  getFailures()[message] = kept;
  return tilusErrorCreate(message.c_str());
}

void tilus::python::setError(TilusError *error) {
  auto failure = getFailures().find(tilusErrorGetMessage(error));
  if (failure != getFailures().end()) {
    tilusErrorDestroy(error);
    PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(failure->second.ptr())), failure->second.ptr());
    return;
  }
  try {
    checkError(error);
  } catch (nb::python_error &raised) {
    raised.restore();
  }
}

void tilus::python::check(TilusError *error) {
  if (!error)
    return;
  setError(error);
  throw nb::python_error();
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

static nb::tuple makeTuple(const uint64_t *words, size_t count) {
  nb::list list;
  for (size_t index = 0; index < count; ++index)
    list.append(words[index]);
  return nb::tuple(list);
}

/// The part of a call's key that tells instances apart, and the part that tells choices apart.
static std::pair<nb::tuple, nb::tuple> computeKey(const DispatcherState &state, const TilusValue *values,
                                                  size_t count) {
  // One more, for a place even where there are none.
  std::vector<uint64_t> key(tilusDispatcherGetKeyWords(state.dispatcher) + 1);
  check(tilusDispatcherComputeKey(state.dispatcher, values, count, key.data()));
  size_t jitWords = tilusDispatcherGetJitWords(state.dispatcher);
  return {makeTuple(key.data(), jitWords), makeTuple(key.data() + jitWords, key.size() - 1 - jitWords)};
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// Asks the state's record, whose method adds what it compiled to the result. The script may use another
/// state meanwhile.
static void compile(const DispatcherState &state, const TilusCompileRequest &request,
                    TilusCompileResult *result) {
  nb::list values, divisibility;
  for (size_t index = 0; index < request.argumentCount; ++index) {
    bool isConstant = state.rows[index].kind == TilusParamKindConstant;
    values.append(isConstant ? makeConstant(request.arguments[index]) : nb::none());
    divisibility.append(request.divisibility[index]);
  }
  nb::object place = nb::cast(CompileResult{result});
  nb::tuple key = computeKey(state, request.arguments, request.argumentCount).first;
  nb::object answer = nb::steal(PyObject_CallMethod(state.record.ptr(), "compile_request", "OOOOO",
                                                    getHandle(request.target).ptr(), values.ptr(),
                                                    divisibility.ptr(), key.ptr(), place.ptr()));
  nb::inst_ptr<CompileResult>(place)->result = nullptr;
  if (!answer.is_valid())
    throw nb::python_error();
}

static TilusError *compileCallback(void *state, const TilusCompileRequest *request,
                                   TilusCompileResult *result) {
  nb::gil_scoped_acquire acquire;
  try {
    compile(*static_cast<const DispatcherState *>(state), *request, result);
    return nullptr;
  } catch (nb::python_error &error) {
    error.restore();
    return keepException();
  } catch (const std::exception &error) {
    return tilusErrorCreate(error.what());
  }
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

namespace {
/// The instance, the dispatcher that keeps it, and the record that it was compiled by.
struct Instance {
  const TilusInstance *instance;
  nb::object dispatcher;
  nb::object record;
};
} // namespace

static nb::object wrapInstance(PyObject *self, const DispatcherState &state, const TilusInstance *instance) {
  return nb::cast(Instance{instance, nb::borrow(self), state.record});
}

static Artifact getArtifact(const Instance &instance, size_t index) {
  TilusArtifact *artifact = nullptr;
  check(tilusInstanceGetArtifact(instance.instance, index, &artifact));
  return {std::shared_ptr<TilusArtifact>(artifact, tilusArtifactDestroy)};
}

//===----------------------------------------------------------------------===//
// Methods
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a call as values.
struct Values {
  std::vector<TilusValue> values;
  CallPlace place;
};
} // namespace

static Values readTuple(DispatcherState &state, nb::handle arguments) {
  if (!PyTuple_Check(arguments.ptr()) || nb::len(arguments) != state.rows.size())
    throw nb::type_error(("expected a tuple of " + std::to_string(state.rows.size()) + " arguments").c_str());
  Values read;
  read.values.resize(state.rows.size());
  PyObject *const *items = &PyTuple_GET_ITEM(arguments.ptr(), 0);
  if (!readArguments(state.rows, items, read.values.data(), read.place))
    throw nb::python_error();
  return read;
}

/// Whether TILUS_LOG has the word dispatch=debug.
static bool isDispatchLogged() {
  const char *text = std::getenv("TILUS_LOG");
  std::string words = "," + std::string(text ? text : "") + ",";
  return words.find(",dispatch=debug,") != std::string::npos;
}

/// _set_up(record, name, rows, divisors, tuner): makes the state of a record. Rows are (name, kind, constant
/// types, bits, codes, has default, default, type in words, least, most).
static nb::object setUp(PyObject *self, nb::args arguments) {
  auto state = std::make_unique<DispatcherState>();
  state->record = nb::borrow(arguments[0]);
  state->name = nb::cast<std::string>(arguments[1]);
  state->divisors = nb::cast<unsigned>(arguments[3]);
  std::vector<TilusCallParam> params;
  for (nb::handle item : arguments[2]) {
    ParamRow &row = state->rows.emplace_back();
    row.pyName = nb::borrow(item[0]);
    PyObject *interned = row.pyName.release().ptr();
    PyUnicode_InternInPlace(&interned);
    row.pyName = nb::steal(interned);
    row.name = nb::cast<std::string>(row.pyName);
    row.kind = static_cast<TilusParamKind>(nb::cast<int>(item[1]));
    row.constantTypes = nb::cast<uint8_t>(item[2]);
    row.bits = nb::cast<uint8_t>(item[3]);
    row.codes = nb::cast<uint32_t>(item[4]);
    if (nb::cast<bool>(item[5]))
      row.defaultValue = nb::borrow(item[6]);
    row.type = nb::cast<std::string>(item[7]);
    row.least = nb::cast<int64_t>(item[8]);
    row.most = nb::cast<uint64_t>(item[9]);
  }
  for (const ParamRow &row : state->rows) {
    bool isSpecialized = row.kind == TilusParamKindInteger || row.kind == TilusParamKindPointer;
    params.push_back({row.name.c_str(), row.kind, isSpecialized ? state->divisors : 0});
  }
  TilusDispatcherOptions options = {};
  options.size = sizeof(options);
  options.compile = compileCallback;
  options.userData = state.get();
  if (isDispatchLogged())
    options.log = [](void *, const char *line) { std::fprintf(stderr, "%s\n", line); };
  state->tuner = nb::borrow(arguments[4]);
  if (!state->tuner.is_none())
    options.tuner = nb::cast<Tuner &>(state->tuner).tuner.get();
  check(
      tilusDispatcherCreate(state->name.c_str(), params.data(), params.size(), &options, &state->dispatcher));
  auto *object = reinterpret_cast<DispatcherObject *>(self);
  if (!object->states)
    object->states = new DispatcherStates();
  PyObject *record = state->record.ptr();
  object->states->emplace(record, std::move(state));
  return nb::none();
}

/// _select(record, generation): uses the state of a record until the options change again.
static nb::object select(PyObject *self, nb::args arguments) {
  auto *object = reinterpret_cast<DispatcherObject *>(self);
  auto found =
      object->states ? object->states->find(nb::handle(arguments[0]).ptr()) : DispatcherStates::iterator();
  if (!object->states || found == object->states->end())
    throw nb::key_error("expected the record of a state, but got another");
  object->state = found->second.get();
  object->generation = nb::cast<uint64_t>(arguments[1]);
  return nb::none();
}

static const TilusTarget *getTarget(nb::handle handle) {
  return handle.is_none() ? nullptr : nb::cast<TargetHandle &>(handle).target;
}

/// _launch(arguments, device, stream): with None, the tensors' device, and its current stream.
static nb::object launchExplicitly(PyObject *self, nb::args arguments) {
  DispatcherState &state = *getState(self);
  Values read = readTuple(state, arguments[0]);
  if (!arguments[1].is_none())
    read.place.device = nb::cast<int>(arguments[1]);
  if (read.place.device < 0)
    read.place.device = 0;
  TilusCallSite site = {sizeof(site), getDevice(read.place.device), nullptr, getScopedTarget()};
  if (!site.device)
    throw nb::python_error();
  if (!arguments[2].is_none())
    site.stream = reinterpret_cast<void *>(nb::cast<uint64_t>(arguments[2]));
  else if (!findStream(read.place, site.stream))
    throw nb::python_error();
  nb::object result = nb::steal(launch(state, read.values.data(), site));
  if (!result.is_valid())
    throw nb::python_error();
  return result;
}

/// The divisor of a value between which kernels are specialised.
static uint64_t classify(uint64_t bits, unsigned divisors) {
  uint64_t divisor = 1;
  for (uint64_t power = 2; power <= divisors; power *= 2)
    if ((divisors & power) && bits % power == 0)
      divisor = power;
  return divisor;
}

/// _place(arguments): the number of the tensors' GPU, or None; whether any is in the host's memory; and what
/// each argument is a multiple of.
static nb::object describePlace(PyObject *self, nb::args arguments) {
  DispatcherState &state = *getState(self);
  Values read = readTuple(state, arguments[0]);
  nb::object device = read.place.device < 0 ? nb::none() : nb::object(nb::int_(read.place.device));
  nb::list divisibility;
  for (size_t index = 0; index < state.rows.size(); ++index) {
    TilusParamKind kind = state.rows[index].kind;
    bool isSpecialized = kind == TilusParamKindInteger || kind == TilusParamKindPointer;
    divisibility.append(isSpecialized ? classify(tilusValueGetBits(read.values[index]), state.divisors) : 1);
  }
  return nb::make_tuple(device, read.place.hasHost, divisibility);
}

/// _compile(arguments, target): the instance.
static nb::object compileInstance(PyObject *self, nb::args arguments) {
  DispatcherState &state = *getState(self);
  Values read = readTuple(state, arguments[0]);
  const TilusTarget *target = getTarget(arguments[1]);
  const TilusInstance *instance = nullptr;
  TilusError *error;
  {
    nb::gil_scoped_release release;
    error =
        tilusDispatcherCompile(state.dispatcher, read.values.data(), read.values.size(), target, &instance);
  }
  check(error);
  return wrapInstance(self, state, instance);
}

/// _find(arguments, target): the instance, the number of the candidate, and the path.
static nb::object findKernel(PyObject *self, nb::args arguments) {
  DispatcherState &state = *getState(self);
  Values read = readTuple(state, arguments[0]);
  const TilusTarget *target = getTarget(arguments[1]);
  TilusFoundKernel found = {};
  found.size = sizeof(found);
  TilusError *error;
  {
    nb::gil_scoped_release release;
    error = tilusDispatcherFind(state.dispatcher, read.values.data(), read.values.size(), target, &found);
  }
  check(error);
  return nb::make_tuple(wrapInstance(self, state, found.instance), found.candidate,
                        static_cast<int>(found.path));
}

/// _key(arguments): the words that tell instances apart, and those that tell choices apart.
static nb::object describeKey(PyObject *self, nb::args arguments) {
  DispatcherState &state = *getState(self);
  Values read = readTuple(state, arguments[0]);
  auto [jitKey, tuningKey] = computeKey(state, read.values.data(), read.values.size());
  return nb::make_tuple(jitKey, tuningKey);
}

/// _entries(target): tuples of a key's two parts, the instance and the number of the candidate.
static nb::object listEntries(PyObject *self, nb::args arguments) {
  struct Visit {
    PyObject *self;
    const DispatcherState &state;
    size_t jitWords;
    nb::list entries;
  };
  DispatcherState &state = *getState(self);
  Visit visit = {self, state, tilusDispatcherGetJitWords(state.dispatcher), {}};
  auto add = [](void *data, const uint64_t *key, size_t words, const TilusInstance *instance,
                size_t candidate) {
    auto &visit = *static_cast<Visit *>(data);
    visit.entries.append(nb::make_tuple(makeTuple(key, visit.jitWords),
                                        makeTuple(key + visit.jitWords, words - visit.jitWords),
                                        wrapInstance(visit.self, visit.state, instance), candidate));
  };
  check(tilusDispatcherVisitEntries(state.dispatcher, getTarget(arguments[0]), add, &visit));
  return visit.entries;
}

/// _stats(target): a dictionary.
static nb::object getStats(PyObject *self, nb::args arguments) {
  TilusTargetStats stats = {};
  stats.size = sizeof(stats);
  check(tilusDispatcherGetStats(getState(self)->dispatcher, getTarget(arguments[0]), &stats));
  nb::dict row;
  row["instances"] = stats.instances;
  row["entries"] = stats.entries;
  row["shortcut_hits"] = stats.shortcutHits;
  row["table_hits"] = stats.tableHits;
  row["slow_calls"] = stats.slowCalls;
  row["cache_hits"] = stats.cacheHits;
  row["cache_misses"] = stats.cacheMisses;
  row["compile_ms"] = stats.compileMilliseconds;
  return row;
}

/// Calls a method with arguments that were counted, and turns exceptions of C++ into Python's.
template <nb::object (*method)(PyObject *, nb::args), Py_ssize_t count, bool needsState = true>
static PyObject *callMethod(PyObject *self, PyObject *arguments) {
  try {
    if (needsState && !getState(self))
      throw nb::type_error("expected a dispatcher that was set up, but got one that was not");
    if (PyTuple_GET_SIZE(arguments) != count)
      throw nb::type_error(
          ("expected " + std::to_string(count) + " arguments of a dispatcher's method").c_str());
    return method(self, nb::borrow<nb::args>(arguments)).release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_TypeError, error.what());
  }
  return nullptr;
}

PyMethodDef tilus::python::dispatcherMethods[] = {
    {"_set_up", callMethod<setUp, 5, false>, METH_VARARGS, nullptr},
    {"_select", callMethod<select, 2, false>, METH_VARARGS, nullptr},
    {"_launch", callMethod<launchExplicitly, 3>, METH_VARARGS, nullptr},
    {"_place", callMethod<describePlace, 1>, METH_VARARGS, nullptr},
    {"_compile", callMethod<compileInstance, 2>, METH_VARARGS, nullptr},
    {"_find", callMethod<findKernel, 2>, METH_VARARGS, nullptr},
    {"_key", callMethod<describeKey, 1>, METH_VARARGS, nullptr},
    {"_entries", callMethod<listEntries, 1>, METH_VARARGS, nullptr},
    {"_stats", callMethod<getStats, 1>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr}};

void tilus::python::bindInstances(nb::module_ &module) {
  nb::class_<Instance>(module, "Instance", "What was compiled for one target and one set of constants.")
      .def_prop_ro("target",
                   [](const Instance &self) { return getHandle(tilusInstanceGetTarget(self.instance)); })
      .def_prop_ro("record", [](const Instance &self) { return self.record; })
      .def_prop_ro("address", [](const Instance &self) { return reinterpret_cast<uint64_t>(self.instance); })
      .def("__len__", [](const Instance &self) { return tilusInstanceGetCount(self.instance); })
      .def("artifact", getArtifact, "The artifact of a candidate.");
}
