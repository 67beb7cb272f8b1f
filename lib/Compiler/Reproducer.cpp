// Writing of reproducers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reproducer.h"

#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Support/WriteFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;

void tilus::appendDiagnostic(std::string &text, Diagnostic &diagnostic) {
  llvm::raw_string_ostream(text) << diagnostic.getLocation() << ": " << diagnostic.str() << "\n";
  for (Diagnostic &note : diagnostic.getNotes())
    appendDiagnostic(text, note);
}

DiagnosticLog::DiagnosticLog(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        appendDiagnostic(text, diagnostic);
        return failure(); // not handled here: the next handler reports it
      }) {}

std::string tilus::makeReproducer(StringRef moduleText, StringRef pipeline, StringRef log) {
  std::string content;
  llvm::raw_string_ostream stream(content);
  stream << "// Tilus " << getTilusVersion() << ", LLVM " << getLLVMVersion() << "\n";
  stream << "// Repeat with: tilus-opt --run-reproducer <this file>\n";
  for (StringRef line : llvm::split(log.rtrim(), '\n'))
    stream << "// " << line << "\n";
  stream << moduleText << "\n{-#\n  external_resources: {\n    mlir_reproducer: {\n      pipeline: \"";
  llvm::printEscapedString(pipeline, stream);
  stream << "\",\n      disable_threading: true,\n      verify_each: true\n    }\n  }\n#-}\n";
  return content;
}

static std::string printWithLocations(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OpPrintingFlags flags;
  flags.enableDebugInfo();
  module->print(stream, flags);
  return text;
}

Reproducer::Reproducer(ModuleOp module, StringRef folder, StringRef name)
    : module(module), folder(folder), name(name), before(printWithLocations(module)),
      log(module.getContext()) {}

Reproducer::~Reproducer() {
  if (!expected.empty())
    llvm::sys::fs::remove(expected);
}

void Reproducer::expectEnd(StringRef pipeline) {
  std::string path = makeKernelPath(folder, name, ".ended.mlir");
  StringRef reason = "The process ended before it reported a failure, or has not ended yet.";
  // A folder that cannot be written to is reported with a failure.
  if (writeFile(path, makeReproducer(before, pipeline, reason)))
    return;
  expected = path;
  note.emplace("reproducer written to '" + path + "'");
}

void Reproducer::write(StringRef pipeline) {
  std::string path = makeKernelPath(folder, name, ".mlir");
  if (std::error_code error = writeFile(path, makeReproducer(before, pipeline, log.getText())))
    module.emitWarning() << "expected to write a reproducer to '" << path << "', but: " << error.message();
  else
    module.emitRemark() << "reproducer written to '" << path << "'";
}
