// Collecting of diagnostics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Jit/DiagnosticText.h"

#include "mlir/IR/Location.h"

using namespace mlir;
using namespace tilus;

/// The innermost call that a location lies in; null if there is none.
static LocationAttr findCaller(Location location) {
  auto site = location->findInstanceOf<CallSiteLoc>();
  return site ? LocationAttr(site.getCaller()) : LocationAttr();
}

DiagnosticText::DiagnosticText(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
          return;
        add(diagnostic);
        for (Diagnostic &note : diagnostic.getNotes()) {
          add(note);
          if (findCaller(note.getLocation()) != findCaller(diagnostic.getLocation()))
            addCallers(note.getLocation());
        }
        addCallers(diagnostic.getLocation());
      }) {}

static void setPlace(DiagnosticRecord &record, Location location) {
  auto place = location->findInstanceOf<FileLineColLoc>();
  if (!place)
    return;
  record.file = place.getFilename().getValue().str();
  record.line = place.getLine();
  record.column = place.getColumn();
}

void DiagnosticText::add(Diagnostic &diagnostic) {
  DiagnosticRecord record;
  record.severity = diagnostic.getSeverity() == DiagnosticSeverity::Note ? DiagnosticRecord::Severity::Note
                                                                         : DiagnosticRecord::Severity::Error;
  record.message = diagnostic.str();
  setPlace(record, diagnostic.getLocation());
  records.push_back(std::move(record));
}

void DiagnosticText::addCallers(Location location) {
  for (LocationAttr caller = findCaller(location); caller; caller = findCaller(caller)) {
    auto outer = dyn_cast<CallSiteLoc>(caller);
    Location place = outer ? outer.getCallee() : Location(caller);
    DiagnosticRecord record;
    record.severity = DiagnosticRecord::Severity::Note;
    record.message = "called from here";
    if (auto function = dyn_cast<NameLoc>(place))
      record.message += (", in '" + function.getName().getValue() + "'").str();
    setPlace(record, place);
    records.push_back(std::move(record));
  }
}

llvm::Error DiagnosticText::takeError() {
  if (records.empty())
    return llvm::createStringError("expected a kernel that compiles, but got no reason why not");
  return llvm::make_error<DiagnosticError>(std::exchange(records, {}));
}
