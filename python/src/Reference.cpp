// The CPU reference in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compiler.h"

#include "Tilus-c/Reference.h"

using namespace nanobind::literals;

namespace tilus::python {

/// A kernel that is executed on the CPU.
struct Reference {
  std::shared_ptr<TilusReference> handle;
};

static Reference makeReference(const Module &module, std::optional<std::string> kernel,
                               std::optional<std::string> target) {
  const TilusTarget *used = target ? lookUpTarget(*target) : nullptr;
  MlirModule mlir = mlirModuleFromOperation(module.operation.get());
  TilusReference *reference = nullptr;
  checkDiagnostics(tilusReferenceCreate(mlir, kernel ? kernel->c_str() : nullptr, used, &reference));
  return {std::shared_ptr<TilusReference>(reference, tilusReferenceDestroy)};
}

static std::vector<Param> getParams(const Reference &self) {
  std::vector<Param> params;
  for (size_t i = 0, n = tilusReferenceGetParamCount(self.handle.get()); i != n; ++i) {
    TilusParamInfo info = {};
    info.size = sizeof(info);
    checkError(tilusReferenceGetParam(self.handle.get(), i, &info));
    params.push_back(makeParam(info));
  }
  return params;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
/// Memory that objects of Python lend for a call.
class Buffers {
public:
  Buffers() = default;
  Buffers(const Buffers &) = delete;
  ~Buffers() {
    for (Py_buffer &view : views)
      PyBuffer_Release(&view);
  }

  /// Writable, C-contiguous memory.
  TilusValue add(nb::handle object) {
    Py_buffer view;
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS) != 0)
      throw nb::python_error();
    views.push_back(view);
    if (view.len == 0)
      return tilusValueNone();
    return tilusValuePointer(reinterpret_cast<uintptr_t>(view.buf), view.len, TILUS_DEVICE_HOST);
  }

private:
  std::vector<Py_buffer> views;
};
} // namespace

/// A value from an integer, bool, float, None, an (address, bytes) of memory, or what lends a buffer.
static TilusValue readArgument(nb::handle object, Buffers &buffers) {
  if (object.is_none())
    return tilusValueNone();
  if (nb::isinstance<nb::bool_>(object))
    return tilusValueBool(nb::cast<bool>(object));
  if (nb::isinstance<nb::float_>(object))
    return tilusValueFloat(nb::cast<double>(object));
  if (nb::isinstance<nb::tuple>(object)) {
    auto [address, bytes] = nb::cast<std::pair<uint64_t, uint64_t>>(object);
    return bytes == 0 ? tilusValueNone() : tilusValuePointer(address, bytes, TILUS_DEVICE_HOST);
  }
  if (nb::isinstance<nb::int_>(object)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow == 0)
      return tilusValueInt(value);
    throw nb::value_error("expected an integer of 64 bits, but got a larger one");
  }
  if (!PyObject_CheckBuffer(object.ptr()))
    throw nb::type_error(("expected a number, an array or None, but got " +
                          nb::cast<std::string>(nb::type_name(object.type())))
                             .c_str());
  return buffers.add(object);
}

static void appendOutput(void *userData, const char *text, size_t size) {
  static_cast<std::string *>(userData)->append(text, size);
}

/// Numbers of blocks in x, y, z, and of steps.
static nb::tuple run(const Reference &self, nb::sequence arguments, bool checkHazards, uint64_t maxSteps,
                     nb::object output) {
  Buffers buffers;
  std::vector<TilusValue> values;
  for (nb::handle argument : arguments)
    values.push_back(readArgument(argument, buffers));
  std::string printed;
  TilusReferenceOptions options = {};
  options.size = sizeof(options);
  options.checkHazards = checkHazards;
  options.maxSteps = maxSteps;
  options.output = output.is_none() ? nullptr : appendOutput;
  options.userData = &printed;
  TilusReferenceResult result = {};
  result.size = sizeof(result);
  TilusError *error = nullptr;
  {
    nb::gil_scoped_release release;
    error = tilusReferenceRun(self.handle.get(), values.data(), values.size(), &options, &result);
  }
  if (!printed.empty())
    output(printed);
  checkDiagnostics(error);
  return nb::make_tuple(nb::make_tuple(result.blocks[0], result.blocks[1], result.blocks[2]), result.steps);
}

void bindReference(nb::module_ &module) {
  nb::class_<Reference>(module, "Reference", "A kernel that is executed on the CPU; threads may share it.")
      .def(
          "__init__",
          [](Reference *self, const Module &module, std::optional<std::string> kernel,
             std::optional<std::string> target) {
            new (self) Reference(makeReference(module, std::move(kernel), std::move(target)));
          },
          "module"_a, "kernel"_a = nb::none(), "target"_a = nb::none(),
          "The kernel of that name, or the only one, of an ir.Module, which is copied. 'target' is what the\n"
          "kernel's questions for a target are answered by; None for the one that the module names, if any.")
      .def_prop_ro("name", [](const Reference &self) { return tilusReferenceGetName(self.handle.get()); })
      .def_prop_ro("params", getParams)
      .def("run", run, "arguments"_a, "check_hazards"_a = false, "max_steps"_a = 0, "output"_a = nb::none(),
           "Executes the kernel: with a number for each scalar, and for each pointer a writable contiguous "
           "buffer,\n"
           "a pair of address and bytes, or None. 'output' is called with what the kernel printed. Returns "
           "the\n"
           "numbers of blocks and of operations executed; raises ir.MLIRError at the operation at fault.");
}

} // namespace tilus::python
