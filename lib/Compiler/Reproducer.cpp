// Writing of reproducers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Reproducer.h"

#include "Tilus/Compiler/Compiler.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;

static void appendDiagnostic(std::string &text, Diagnostic &diagnostic) {
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

void tilus::writeReproducer(ModuleOp module, StringRef folder, StringRef name, StringRef content) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error)
      file << content;
  }
  if (error)
    module.emitWarning() << "expected to write a reproducer to '" << path << "', but: " << error.message();
  else
    module.emitRemark() << "reproducer written to '" << path << "'";
}
