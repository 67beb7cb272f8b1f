// Errors that carry what a compiler reported.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/DiagnosticError.h"

#include "llvm/Support/raw_ostream.h"

using namespace tilus;

char DiagnosticError::ID = 0;

static const char *getWord(DiagnosticRecord::Severity severity) {
  switch (severity) {
  case DiagnosticRecord::Severity::Error:
    return "error";
  case DiagnosticRecord::Severity::Warning:
    return "warning";
  case DiagnosticRecord::Severity::Remark:
    return "remark";
  case DiagnosticRecord::Severity::Note:
    break;
  }
  return "note";
}

void DiagnosticError::log(llvm::raw_ostream &os) const {
  const char *separator = "";
  for (const DiagnosticRecord &record : records) {
    os << separator;
    if (!record.file.empty())
      os << record.file << ":" << record.line << ":" << record.column << ": ";
    os << getWord(record.severity) << ": " << record.message;
    separator = "\n";
  }
}

std::error_code DiagnosticError::convertToErrorCode() const { return llvm::inconvertibleErrorCode(); }
