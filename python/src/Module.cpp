// The Python module 'tilus._native', over the C API of libTilus-C.so alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Layout.h"
#include "Runtime.h"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  module.doc() = "The compiler and the runtime of Tilus.";
  // Scripts are kept for the life of the process, and types with them.
  nb::set_leak_warnings(false);
  module.attr("__version__") = tilusGetVersionString();
  nb::module_ ir =
      module.def_submodule("ir", "Building kernels: contexts, types, attributes and operations.");
  tilus::python::bindContext(ir);
  tilus::python::bindTypes(ir);
  tilus::python::bindAttributes(ir);
  tilus::python::bindOperations(ir);
  nb::module_ layout =
      module.def_submodule("layout", "The layouts of tiles, and what the compiler makes of them.");
  tilus::python::bindLayouts(layout);
  tilus::python::bindArtifacts(module);
  tilus::python::bindCompiler(module);
  tilus::python::bindReference(module);
  nb::module_ runtime =
      module.def_submodule("runtime", "What scripts run with: targets, devices, dispatchers, tuners.");
  tilus::python::bindTargets(runtime);
  tilus::python::bindDevices(runtime);
  tilus::python::bindScripts(runtime);
  tilus::python::bindInstances(runtime);
  tilus::python::bindDispatch(runtime);
}
