// Single kernels in Python, which are compiled with a disk cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compiler.h"

#include "Tilus-c/Dialect.h"

using namespace nanobind::literals;

namespace tilus::python {

namespace {
/// One kernel as text, which threads may compile.
struct KernelSource {
  std::shared_ptr<TilusKernelSource> handle;
};
} // namespace

static KernelSource makeSource(const Module &module) {
  ContextState &context = *module.operation.getContext();
  size_t before = context.diagnostics.size();
  TilusKernelSource *source = nullptr;
  TilusError *error =
      tilusKernelSourceCreate(mlirModuleFromOperation(module.operation.get()), nullptr, &source);
  if (error && context.diagnostics.size() != before) {
    tilusErrorDestroy(error);
    raiseDiagnostics(context, before, "expected a valid kernel, but got another");
  }
  checkDiagnostics(error);
  return {std::shared_ptr<TilusKernelSource>(source, tilusKernelSourceDestroy)};
}

static nb::str getSourceText(const KernelSource &self) {
  TilusBytes text = tilusKernelSourceGetText(self.handle.get());
  return nb::str(static_cast<const char *>(text.data), text.size);
}

/// The bytes of a file of the artifact.
static nb::bytes serialize(const TilusArtifact *artifact) {
  TilusBlob *blob = nullptr;
  checkError(tilusArtifactsSerialize(&artifact, 1, &blob));
  return takeBytes(blob);
}

/// The artifact, its key in the cache (empty where there is none) and what the cache did.
static nb::tuple compileKernel(const Compiler &self, const KernelSource &source,
                               std::string_view targetName) {
  const TilusTarget *target = lookUpTarget(targetName);
  TilusCompiledKernel kernel = {};
  kernel.size = sizeof(kernel);
  TilusError *error;
  {
    nb::gil_scoped_release release;
    error = tilusCompileKernel(self.handle.get(), source.handle.get(), target, &kernel);
  }
  checkDiagnostics(error);
  std::unique_ptr<TilusArtifact, decltype(&tilusArtifactDestroy)> artifact(kernel.artifact,
                                                                           tilusArtifactDestroy);
  nb::object parsed = parseArtifacts(serialize(artifact.get()));
  return nb::make_tuple(parsed[0], kernel.key, static_cast<int>(kernel.cache));
}

void bindKernels(nb::module_ &module) {
  nb::class_<KernelSource>(module, "KernelSource", "One kernel as text, which threads may compile.")
      .def(
          "__init__", [](KernelSource *self, const Module &ir) { new (self) KernelSource(makeSource(ir)); },
          "module"_a, "The only kernel of an ir.Module. Raises ir.MLIRError if it is not valid.")
      .def_prop_ro("name",
                   [](const KernelSource &self) { return tilusKernelSourceGetName(self.handle.get()); })
      .def_prop_ro("text", getSourceText, "The text of a module of the kernel alone.");
  module.def("compile_kernel", compileKernel, "compiler"_a, "source"_a, "target"_a,
             "Compiles a kernel for the target of a name, or takes it from the compiler's cache, while other "
             "threads run. Returns the\n"
             "artifact, its key in the cache ('' without one) and 0, 1 or 2: no cache, a hit, a miss.");
}

} // namespace tilus::python
