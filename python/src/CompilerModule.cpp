// The Python module 'tilus._compiler', over the C API of libTilus-C.so alone: building, compiling and
// executing kernels, and layouts.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compiler.h"
#include "Layout.h"

namespace nb = nanobind;

NB_MODULE(_compiler, module) {
  module.doc() = "The compiler of Tilus.";
  // Parameters and compiled kernels are of its classes.
  nb::module_::import_("tilus._native");
  nb::set_leak_warnings(false);
  module.attr("build") = tilusCompilerGetBuild();
  nb::module_ ir =
      module.def_submodule("ir", "Building kernels: contexts, types, attributes and operations.");
  tilus::python::bindContext(ir);
  tilus::python::bindTypes(ir);
  tilus::python::bindAttributes(ir);
  tilus::python::bindOperations(ir);
  nb::module_ layout =
      module.def_submodule("layout", "The layouts of tiles, and what the compiler makes of them.");
  tilus::python::bindLayouts(layout);
  tilus::python::bindCompiler(module);
  tilus::python::bindKernels(module);
  tilus::python::bindReference(module);
}
