// Collecting of diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Jit/DiagnosticText.h"

#include "mlir/IR/Location.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tilus;

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        add(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes())
          add(note);
      }) {}

void DiagnosticText::add(Diagnostic &diagnostic) {
  llvm::raw_string_ostream stream(text);
  if (!text.empty())
    stream << "\n";
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn() << ": ";
  stream << (diagnostic.getSeverity() == DiagnosticSeverity::Note ? "note: " : "error: ") << diagnostic;
}

llvm::Error DiagnosticText::takeError() {
  return llvm::createStringError(text.empty() ? "expected a kernel that compiles, but got no reason why not"
                                              : text);
}
