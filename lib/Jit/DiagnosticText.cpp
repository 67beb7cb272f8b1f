// Collecting of diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Jit/DiagnosticText.h"

#include "mlir/IR/Location.h"

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
  DiagnosticRecord record;
  record.severity = diagnostic.getSeverity() == DiagnosticSeverity::Note ? DiagnosticRecord::Severity::Note
                                                                         : DiagnosticRecord::Severity::Error;
  record.message = diagnostic.str();
  if (auto place = diagnostic.getLocation()->findInstanceOf<FileLineColLoc>()) {
    record.file = place.getFilename().getValue().str();
    record.line = place.getLine();
    record.column = place.getColumn();
  }
  records.push_back(std::move(record));
}

llvm::Error DiagnosticText::takeError() {
  if (records.empty())
    return llvm::createStringError("expected a kernel that compiles, but got no reason why not");
  return llvm::make_error<DiagnosticError>(std::exchange(records, {}));
}
