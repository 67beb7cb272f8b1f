// What both native modules share: errors of the C API, targets by name, parameters of kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_NATIVE_H
#define TILUS_PYTHON_NATIVE_H

#include "Tilus-c/Runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilus::python {

namespace nb = nanobind;

/// Raises the error, which it takes over, as a RuntimeError. Does nothing for null. The GIL must be held.
void checkError(TilusError *error);

/// Raises ValueError with the error, which it takes over. Does nothing for null.
void checkValue(TilusError *error);

/// The target of that name, as in "sm_90a" or "sm_90a,+ptx88".
const TilusTarget *lookUpTarget(std::string_view name);

/// The bytes, which it takes over, as an object of Python, and as a text.
nb::bytes takeBytes(TilusBlob *blob);
std::string takeText(TilusBlob *blob);

/// A parameter of a kernel. The runtime's module has the class.
struct Param {
  std::string name;
  std::string type;
  unsigned bits = 0;
  bool isPointer = false;
  uint64_t divisibility = 1;
};

Param makeParam(const TilusParamInfo &info);

} // namespace tilus::python

#endif // TILUS_PYTHON_NATIVE_H
