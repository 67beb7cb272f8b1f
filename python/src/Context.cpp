// Contexts, locations and diagnostics in Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IR.h"

#include "Tilus-c/Dialect.h"

#include "mlir-c/BuiltinAttributes.h"

using namespace nanobind::literals;

namespace tilus::python {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void appendText(MlirStringRef text, void *userData) {
  static_cast<std::string *>(userData)->append(text.data, text.length);
}

void findPlace(MlirLocation location, std::string &file, int &line, int &column) {
  if (mlirLocationIsAFileLineColRange(location)) {
    file = makeString(mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location)));
    line = mlirLocationFileLineColRangeGetStartLine(location);
    column = mlirLocationFileLineColRangeGetStartColumn(location);
  } else if (mlirLocationIsAName(location)) {
    findPlace(mlirLocationNameGetChildLoc(location), file, line, column);
  } else if (mlirLocationIsACallSite(location)) {
    findPlace(mlirLocationCallSiteGetCallee(location), file, line, column);
  } else if (mlirLocationIsAFused(location)) {
    std::vector<MlirLocation> parts(mlirLocationFusedGetNumLocations(location));
    mlirLocationFusedGetLocations(location, parts.data());
    for (MlirLocation part : parts)
      if (file.empty())
        findPlace(part, file, line, column);
  }
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

static std::string getSeverityName(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  case MlirDiagnosticRemark:
    break;
  }
  return "remark";
}

/// A note for each call that a location lies in, innermost first; those of notes only where they differ.
/// Errors of compilers carry the same.
static void addCallers(MlirLocation location, std::vector<Diagnostic> &notes) {
  while (mlirLocationIsACallSite(location)) {
    location = mlirLocationCallSiteGetCaller(location);
    bool isCalled = mlirLocationIsACallSite(location);
    MlirLocation caller = isCalled ? mlirLocationCallSiteGetCallee(location) : location;
    Diagnostic note = {"note", "called from here"};
    if (mlirLocationIsAName(caller))
      note.message += ", in '" + makeString(mlirIdentifierStr(mlirLocationNameGetName(caller))) + "'";
    findPlace(caller, note.file, note.line, note.column);
    notes.push_back(std::move(note));
  }
}

static bool haveOneCaller(MlirLocation left, MlirLocation right) {
  return mlirLocationIsACallSite(left) && mlirLocationIsACallSite(right) &&
         mlirLocationEqual(mlirLocationCallSiteGetCaller(left), mlirLocationCallSiteGetCaller(right));
}

static Diagnostic readDiagnostic(MlirDiagnostic diagnostic) {
  Diagnostic result;
  result.severity = getSeverityName(mlirDiagnosticGetSeverity(diagnostic));
  mlirDiagnosticPrint(diagnostic, appendText, &result.message);
  findPlace(mlirDiagnosticGetLocation(diagnostic), result.file, result.line, result.column);
  MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
  for (intptr_t i = 0, n = mlirDiagnosticGetNumNotes(diagnostic); i != n; ++i) {
    MlirDiagnostic note = mlirDiagnosticGetNote(diagnostic, i);
    result.notes.push_back(readDiagnostic(note));
    if (!haveOneCaller(mlirDiagnosticGetLocation(note), location))
      addCallers(mlirDiagnosticGetLocation(note), result.notes);
  }
  if (result.severity != "note")
    addCallers(location, result.notes);
  return result;
}

MlirLogicalResult collectDiagnostic(MlirDiagnostic diagnostic, void *userData) {
  static_cast<std::vector<Diagnostic> *>(userData)->push_back(readDiagnostic(diagnostic));
  return mlirLogicalResultSuccess();
}

static std::string formatDiagnostic(const Diagnostic &diagnostic, const std::string &indent = "") {
  std::string text = indent;
  if (!diagnostic.file.empty())
    text += diagnostic.file + ":" + std::to_string(diagnostic.line) + ":" +
            std::to_string(diagnostic.column) + ": ";
  text += diagnostic.severity + ": " + diagnostic.message;
  for (const Diagnostic &note : diagnostic.notes)
    text += "\n" + formatDiagnostic(note, indent + "  ");
  return text;
}

/// The class MLIRError, which lives as long as the module.
static PyObject *errorClass = nullptr;

void raiseError(const std::string &what, std::vector<Diagnostic> diagnostics) {
  std::string text = what;
  for (const Diagnostic &diagnostic : diagnostics)
    text += "\n" + formatDiagnostic(diagnostic);
  nb::object error = nb::borrow(errorClass)(text);
  nb::setattr(error, "diagnostics", nb::cast(std::move(diagnostics)));
  PyErr_SetObject(errorClass, error.ptr());
  throw nb::python_error();
}

void raiseDiagnostics(ContextState &context, size_t before, const std::string &what) {
  auto begin = context.diagnostics.begin() + std::min(before, context.diagnostics.size());
  std::vector<Diagnostic> taken(begin, context.diagnostics.end());
  context.diagnostics.erase(begin, context.diagnostics.end());
  raiseError(what, std::move(taken));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

ContextState::ContextState() : context(mlirContextCreateWithThreading(false)) {
  mlirContextAttachDiagnosticHandler(context, collectDiagnostic, &diagnostics, nullptr);
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  tilusRegisterCompilerDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  // Those of kernels; the others load when they are parsed.
  for (const char *name : {"tilus", "arith", "math", "scf", "cf"})
    mlirContextGetOrLoadDialect(context, mlirStringRefCreateFromCString(name));
}

static std::vector<Diagnostic> takeDiagnostics(Context &context) {
  return std::exchange(context.state->diagnostics, {});
}

static Location makeFileLocation(std::string_view file, unsigned line, unsigned column,
                                 const Context &context) {
  return {context.state, mlirLocationFileLineColGet(context.state->context, makeRef(file), line, column)};
}

static Location makeNameLocation(std::string_view name, const Context &context,
                                 const std::optional<Location> &child) {
  MlirLocation inner = mlirLocationUnknownGet(context.state->context);
  if (child) {
    checkContext(context.state, child->context);
    inner = child->location;
  }
  return {context.state, mlirLocationNameGet(context.state->context, makeRef(name), inner)};
}

static Location makeFusedLocation(const std::vector<Location> &parts, const Context &context) {
  std::vector<MlirLocation> locations;
  for (const Location &part : parts) {
    checkContext(context.state, part.context);
    locations.push_back(part.location);
  }
  return {context.state, mlirLocationFusedGet(context.state->context, locations.size(), locations.data(),
                                              mlirAttributeGetNull())};
}

static Location makeCallSite(const Location &callee, const Location &caller) {
  checkContext(callee.context, caller.context);
  return {callee.context, mlirLocationCallSiteGet(callee.location, caller.location)};
}

/// File, line and column.
static nb::tuple getPlace(const Location &location) {
  std::string file;
  int line = 0, column = 0;
  findPlace(location.location, file, line, column);
  return nb::make_tuple(file, line, column);
}

static void bindDiagnostics(nb::module_ &module) {
  nb::class_<Diagnostic>(module, "Diagnostic", "A message of the compiler; line and column are 0 if unknown.")
      .def_ro("severity", &Diagnostic::severity)
      .def_ro("message", &Diagnostic::message)
      .def_ro("file", &Diagnostic::file)
      .def_ro("line", &Diagnostic::line)
      .def_ro("column", &Diagnostic::column)
      .def_ro("notes", &Diagnostic::notes)
      .def("__str__", [](const Diagnostic &self) { return formatDiagnostic(self); })
      .def("__repr__", [](const Diagnostic &self) { return formatDiagnostic(self); });
  std::string name = nb::cast<std::string>(module.attr("__name__")) + ".MLIRError";
  errorClass =
      PyErr_NewExceptionWithDoc(name.c_str(), "What the compiler refused; 'diagnostics' has its messages.",
                                PyExc_RuntimeError, nullptr);
  nb::setattr(nb::handle(errorClass), "diagnostics", nb::list());
  module.attr("MLIRError") = nb::handle(errorClass);
}

static void bindLocation(nb::module_ &module) {
  nb::class_<Location>(module, "Location", "Where something comes from.")
      .def_static("file", makeFileLocation, "filename"_a, "line"_a, "column"_a, "context"_a)
      .def_static("name", makeNameLocation, "name"_a, "context"_a, "child"_a = nb::none())
      .def_static(
          "unknown",
          [](const Context &context) {
            return Location{context.state, mlirLocationUnknownGet(context.state->context)};
          },
          "context"_a)
      .def_static("fused", makeFusedLocation, "locations"_a, "context"_a)
      .def_static("callsite", makeCallSite, "callee"_a, "caller"_a)
      .def_prop_ro("context", [](const Location &self) { return Context{self.context}; })
      .def_prop_ro("place", getPlace,
                   "File, line and column of the nearest place in a file; '', 0, 0 if none.")
      .def("__eq__", [](const Location &self,
                        const Location &other) { return mlirLocationEqual(self.location, other.location); })
      .def(
          "__eq__", [](const Location &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__",
           [](const Location &self) { return reinterpret_cast<intptr_t>(self.location.ptr) >> 4; })
      .def("__str__", [](const Location &self) {
        std::string text;
        mlirLocationPrint(self.location, appendText, &text);
        return text;
      });
}

void bindContext(nb::module_ &module) {
  bindDiagnostics(module);
  nb::class_<Context>(module, "Context",
                      "An MLIR context with the dialects of kernels. Not for two threads at a time.")
      .def("__init__", [](Context *self) { new (self) Context{std::make_shared<ContextState>()}; })
      .def_prop_ro(
          "diagnostics", [](const Context &self) { return self.state->diagnostics; },
          "What was reported and not taken yet.")
      .def("take_diagnostics", takeDiagnostics, "What was reported, which the context then forgets.")
      .def("__eq__", [](const Context &self, const Context &other) { return self.state == other.state; })
      .def(
          "__eq__", [](const Context &, nb::object) { return false; }, nb::arg().none())
      .def("__hash__", [](const Context &self) { return reinterpret_cast<intptr_t>(self.state.get()) >> 4; })
      .def(
          "is_registered_operation",
          [](const Context &self, std::string_view name) {
            return mlirContextIsRegisteredOperation(self.state->context, makeRef(name));
          },
          "name"_a);
  bindLocation(module);
}

} // namespace tilus::python
