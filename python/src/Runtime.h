// What the parts of the runtime's module share: errors that cross the C API, targets, devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_RUNTIME_H
#define TILUS_PYTHON_RUNTIME_H

#include "Native.h"

namespace tilus::python {

/// Sets Python's error to what a call of a dispatcher reported, and takes it over: to the exception that a
/// callback left, else as checkError does.
void setError(TilusError *error);
/// Raises it. Does nothing for null.
void check(TilusError *error);

/// Takes Python's current exception, keeps it for setError, and makes an error of it.
TilusError *keepException();

//===----------------------------------------------------------------------===//
// Targets and devices
//===----------------------------------------------------------------------===//

/// A target of the process: there is one object a distinct target.
struct TargetHandle {
  const TilusTarget *target;
};

/// The Python object of a target.
nb::object getHandle(const TilusTarget *target);
/// The target of the innermost scope of the running context; null if there is none, which takes one look at a
/// flag as long as no scope was entered.
const TilusTarget *getScopedTarget();

/// Device number `ordinal`, opened once in the process. Null with Python's error set if there is none. The
/// lock of the interpreter must be held.
const TilusDevice *getDevice(int ordinal);

//===----------------------------------------------------------------------===//
// Objects
//===----------------------------------------------------------------------===//

/// A compiled kernel.
struct Artifact {
  std::shared_ptr<TilusArtifact> handle;

  TilusArtifactInfo getInfo() const;
};

/// The place for what a compile callback made. `result` is null after the callback.
struct CompileResult {
  TilusCompileResult *result;
};

/// A choice between schedules by measuring.
struct Tuner {
  std::shared_ptr<TilusTuner> tuner;
};

/// Bind the classes and functions.
void bindArtifacts(nb::module_ &module);
void bindTargets(nb::module_ &module);
void bindDevices(nb::module_ &module);
void bindScripts(nb::module_ &module);
void bindInstances(nb::module_ &module);
void bindDispatch(nb::module_ &module);

} // namespace tilus::python

#endif // TILUS_PYTHON_RUNTIME_H
