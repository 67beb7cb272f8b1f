// The object behind a dispatcher in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_DISPATCH_H
#define TILUS_PYTHON_DISPATCH_H

#include "Arguments.h"

#include <map>

namespace tilus::python {

struct DispatcherState {
  DispatcherState() = default;
  DispatcherState(const DispatcherState &) = delete;
  ~DispatcherState();

  std::string name;
  std::vector<ParamRow> rows;
  /// The sum of the powers of two between which integers and addresses are told apart.
  unsigned divisors = 0;
  TilusDispatcher *dispatcher = nullptr;
  nb::object tuner;
  /// The object of Python that has the options, and answers requests by its method compile_request.
  nb::object record;
};

/// One for each record, of which there is one for each set of options under which the script was used.
using DispatcherStates = std::map<PyObject *, std::unique_ptr<DispatcherState>>;

struct DispatcherObject {
  PyObject_HEAD vectorcallfunc call;
  PyObject *weakReferences;
  /// The one in use; null before it is set up.
  DispatcherState *state;
  /// The generation of options that it is for.
  uint64_t generation;
  DispatcherStates *states;
};

inline DispatcherState *getState(PyObject *self) { return reinterpret_cast<DispatcherObject *>(self)->state; }

/// Whether somebody wants to see each call.
extern bool callsAreObserved;
/// Counts changes of options.
extern uint64_t optionGeneration;

/// Calls the dispatcher. Null with Python's error set if that fails.
PyObject *launch(DispatcherState &state, const TilusValue *values, const TilusCallSite &site);

/// The methods beside the call.
extern PyMethodDef dispatcherMethods[];

} // namespace tilus::python

#endif // TILUS_PYTHON_DISPATCH_H
