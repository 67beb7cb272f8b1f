// The Python module 'tilus._native', over the C API of libTilusRuntime-C.so alone: what calls need whose
// kernels are compiled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Runtime.h"

namespace nb = nanobind;

NB_MODULE(_native, module) {
  module.doc() = "The runtime of Tilus.";
  // Scripts are kept for the life of the process, and types with them.
  nb::set_leak_warnings(false);
  module.attr("__version__") = tilusGetVersionString();
  // The file beside this one from which tilus._compiler has the compiler.
  module.attr("compiler_library") = TILUS_COMPILER_LIBRARY;
  tilus::python::bindArtifacts(module);
  nb::module_ runtime =
      module.def_submodule("runtime", "What scripts run with: targets, devices, dispatchers, tuners.");
  tilus::python::bindTargets(runtime);
  tilus::python::bindDevices(runtime);
  tilus::python::bindScripts(runtime);
  tilus::python::bindInstances(runtime);
  tilus::python::bindDispatch(runtime);
}
