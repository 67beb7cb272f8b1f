// The compiler in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Compiler.h"

#include "Tilus-c/Dialect.h"

#include <nanobind/stl/map.h>

#include <algorithm>

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// The diagnostics of an error, notes below what they are notes of.
static std::vector<Diagnostic> readDiagnostics(const TilusError *error) {
  std::vector<Diagnostic> result;
  for (size_t i = 0, n = tilusErrorGetDiagnosticCount(error); i != n; ++i) {
    TilusDiagnostic data = {};
    data.size = sizeof(data);
    if (TilusError *failure = tilusErrorGetDiagnostic(error, i, &data)) {
      tilusErrorDestroy(failure);
      break;
    }
    Diagnostic diagnostic = {data.severity, data.message, data.file, int(data.line), int(data.column), {}};
    bool isNote = diagnostic.severity == "note" && !result.empty();
    (isNote ? result.back().notes : result).push_back(std::move(diagnostic));
  }
  return result;
}

void checkDiagnostics(TilusError *error) {
  std::vector<Diagnostic> diagnostics = error ? readDiagnostics(error) : std::vector<Diagnostic>();
  if (diagnostics.empty())
    return checkError(error);
  tilusErrorDestroy(error);
  raiseError("expected a kernel without errors, but got these", std::move(diagnostics));
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

/// The folders of this interpreter that may have wheels of the CUDA toolkit.
static std::vector<std::string> getSitePackages() {
  std::vector<std::string> folders;
  for (nb::handle entry : nb::cast<nb::list>(nb::module_::import_("sys").attr("path")))
    if (std::string folder; nb::try_cast(entry, folder) && folder.size() > 14 &&
                            folder.compare(folder.size() - 14, 14, "/site-packages") == 0)
      folders.push_back(folder);
  return folders;
}

static Compiler makeCompiler(const std::map<std::string, std::string> &values) {
  TilusCompileOptions *options = nullptr;
  checkError(tilusCompileOptionsCreate(&options));
  std::unique_ptr<TilusCompileOptions, decltype(&tilusCompileOptionsDestroy)> owned(
      options, tilusCompileOptionsDestroy);
  for (const auto &[name, value] : values)
    checkValue(tilusCompileOptionsSet(options, name.c_str(), value.c_str()));
  for (const std::string &folder : getSitePackages())
    checkValue(tilusCompileOptionsSet(options, "site-packages", folder.c_str()));
  TilusCompiler *compiler = nullptr;
  checkError(tilusCompilerCreate(options, &compiler));
  return {std::shared_ptr<TilusCompiler>(compiler, tilusCompilerDestroy)};
}

/// Options as Python has them: True is "true", 3 is "3".
static Compiler makeCompilerOfKeywords(nb::kwargs keywords) {
  std::map<std::string, std::string> values;
  for (auto [name, value] : keywords) {
    std::string key = nb::cast<std::string>(name);
    std::replace(key.begin(), key.end(), '_', '-');
    std::string text = nb::cast<std::string>(nb::str(value));
    values[key] = nb::isinstance<nb::bool_>(value) ? (text == "True" ? "true" : "false") : text;
  }
  return makeCompiler(values);
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

nb::object parseArtifacts(const nb::bytes &bytes) {
  return nb::module_::import_("tilus._native").attr("parse_artifacts")(bytes);
}

namespace {
/// What a compilation without the GIL gives.
struct Outcome {
  std::vector<Diagnostic> diagnostics;
  TilusError *error = nullptr;
  TilusBlob *blob = nullptr;
};
} // namespace

/// Compiles in a context of its own, so that no other thread is in it.
static Outcome compileBytecode(const Compiler &compiler, const std::string &bytecode,
                               const std::vector<const TilusTarget *> &targets) {
  Outcome outcome;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tilusRegisterCompilerDialects(registry);
  MlirContext context = mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirContextAttachDiagnosticHandler(context, collectDiagnostic, &outcome.diagnostics, nullptr);
  TilusModuleSource source = {sizeof(TilusModuleSource), bytecode.data(), bytecode.size(), nullptr};
  MlirModule module = {nullptr};
  outcome.error = tilusParseModule(context, &source, &module);
  if (!outcome.error) {
    outcome.error =
        tilusCompileModule(compiler.handle.get(), module, targets.data(), targets.size(), &outcome.blob);
    mlirModuleDestroy(module);
  }
  mlirContextDestroy(context);
  return outcome;
}

static nb::object compileModule(const Compiler &self, const Module &module,
                                const std::vector<std::string> &targets, std::optional<nb::list> messages) {
  std::vector<const TilusTarget *> list;
  for (const std::string &target : targets)
    list.push_back(lookUpTarget(target));
  ContextState &context = *module.operation.getContext();
  size_t before = context.diagnostics.size();
  if (!mlirOperationVerify(module.operation.get()))
    raiseDiagnostics(context, before, "expected a valid module, but got another");
  std::string bytecode;
  mlirOperationWriteBytecode(module.operation.get(), appendText, &bytecode);
  Outcome outcome;
  {
    nb::gil_scoped_release release;
    outcome = compileBytecode(self, bytecode, list);
  }
  std::unique_ptr<TilusBlob, decltype(&tilusBlobDestroy)> blob(outcome.blob, tilusBlobDestroy);
  if (outcome.error && !outcome.diagnostics.empty()) {
    tilusErrorDestroy(outcome.error);
    raiseError("expected a kernel that compiles, but got one that does not", std::move(outcome.diagnostics));
  }
  checkDiagnostics(outcome.error);
  if (messages)
    for (Diagnostic &diagnostic : outcome.diagnostics)
      messages->append(nb::cast(std::move(diagnostic)));
  return parseArtifacts(takeBytes(blob.release()));
}

static std::string findToolFiles(const Compiler &self) {
  TilusBlob *blob = nullptr;
  checkError(tilusCompilerFindToolFiles(self.handle.get(), &blob));
  return takeText(blob);
}

void bindCompiler(nb::module_ &module) {
  nb::class_<Compiler>(module, "Compiler", "A compiler with its options, which threads may share.")
      .def(
          "__init__",
          [](Compiler *self, nb::kwargs options) { new (self) Compiler(makeCompilerOfKeywords(options)); },
          "Options by keyword, as in Compiler(fast_math=True, opt_level=3): assembler, cache, cubin, "
          "cuda_path,\n"
          "dump_dir, fast_math, line_info, opt_level, reproducer_dir, verify_phases. The environment gives "
          "the defaults.")
      .def("find_tool_files", findToolFiles,
           "The files of the CUDA toolkit that kernels may be made with, as they are found now: a path a "
           "line.")
      .def("compile", compileModule, "module"_a, "targets"_a = nb::list(), "messages"_a = nb::none(),
           "Compiles all kernels of an ir.Module for each of the targets, as in ['sm_80', 'sm_90a'], or for "
           "the one\n"
           "that the module names. Returns the artifacts, targets outermost. Raises ir.MLIRError with what "
           "was\n"
           "reported. 'messages' is a list to which warnings and remarks are appended. Other threads run "
           "meanwhile.");
}

} // namespace tilus::python
