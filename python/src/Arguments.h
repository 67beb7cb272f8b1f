// The arguments of a call: from objects of Python to the values of a dispatcher.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_ARGUMENTS_H
#define TILUS_PYTHON_ARGUMENTS_H

#include "DLPack.h"
#include "Runtime.h"

#include <string>
#include <vector>

namespace tilus::python {

/// Which types a constant takes, as bits.
enum ConstantTypes : uint8_t { takesBool = 1, takesInt = 2, takesFloat = 4, takesText = 8 };

/// A parameter of a script, and the last object that was given for it.
struct ParamRow {
  std::string name;
  nb::object pyName;
  /// In words.
  std::string type;
  TilusParamKind kind = TilusParamKindConstant;
  /// For constants.
  uint8_t constantTypes = 0;
  /// For integers: the values of the type, where `most` may be one of 64 bits without a sign.
  int64_t least = 0;
  uint64_t most = 0;
  /// For pointers: the elements, as DLPack has them. 0 bits takes all.
  uint8_t bits = 0;
  uint32_t codes = 0;
  /// Not valid if there is none.
  nb::object defaultValue;

  /// An object that does not change, and its value. Numbers are often the same objects from call to call.
  PyObject *last = nullptr;
  TilusValue lastValue = {};
};

/// What the pointers of a call say of where it runs.
struct CallPlace {
  /// The GPU of the tensors; -1 if none says.
  int device = -1;
  /// An argument is in the host's memory.
  bool hasHost = false;
  /// Whoever knows the current stream; a table, or else an object.
  const dlpack::ExchangeTable *exchange = nullptr;
  PyObject *streamOwner = nullptr;
};

/// Reads all arguments. False with Python's error set for one that does not suit, naming the parameter.
bool readArguments(std::vector<ParamRow> &rows, PyObject *const *arguments, TilusValue *values,
                   CallPlace &place);

/// Finds the framework's current stream of the place's device; the default stream where there is no
/// framework. False with Python's error set.
bool findStream(const CallPlace &place, void *&stream);

/// The object that a constant's value stands for.
nb::object makeConstant(TilusValue value);

/// Binds functions that show tensors to Python.
void bindArguments(nb::module_ &module);

} // namespace tilus::python

#endif // TILUS_PYTHON_ARGUMENTS_H
