// Errors, targets and parameters: part of both native modules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Native.h"

namespace tilus::python {

static void raise(TilusError *error, PyObject *type) {
  if (!error)
    return;
  std::string message = tilusErrorGetMessage(error);
  tilusErrorDestroy(error);
  PyErr_SetString(type, message.c_str());
  throw nb::python_error();
}

void checkError(TilusError *error) { raise(error, PyExc_RuntimeError); }

void checkValue(TilusError *error) { raise(error, PyExc_ValueError); }

const TilusTarget *lookUpTarget(std::string_view name) {
  size_t comma = name.find(',');
  std::string chip(name.substr(0, comma));
  std::string features(comma == std::string_view::npos ? "" : name.substr(comma + 1));
  const TilusTarget *target = nullptr;
  checkValue(tilusTargetLookup(chip.c_str(), features.c_str(), &target));
  return target;
}

std::string takeText(TilusBlob *blob) {
  std::unique_ptr<TilusBlob, decltype(&tilusBlobDestroy)> owned(blob, tilusBlobDestroy);
  TilusBytes bytes = tilusBlobGetBytes(blob);
  return std::string(static_cast<const char *>(bytes.data), bytes.size);
}

nb::bytes takeBytes(TilusBlob *blob) {
  std::string bytes = takeText(blob);
  return nb::bytes(bytes.data(), bytes.size());
}

Param makeParam(const TilusParamInfo &info) {
  return {info.name, info.type, info.bits, info.isPointer, info.divisibility};
}

} // namespace tilus::python
