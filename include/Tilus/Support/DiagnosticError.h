// Errors that carry what a compiler reported: a message and a place each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace tilus {

/// One message. `file` is empty, and the numbers 0, where the place is not known.
struct DiagnosticRecord {
  enum class Severity : uint8_t { Error, Warning, Remark, Note };

  Severity severity = Severity::Error;
  std::string message;
  std::string file;
  unsigned line = 0;
  unsigned column = 0;
};

/// What was reported, in order; notes come behind what they are notes of.
class DiagnosticError : public llvm::ErrorInfo<DiagnosticError> {
public:
  static char ID;
  explicit DiagnosticError(std::vector<DiagnosticRecord> records) : records(std::move(records)) {}

  const std::vector<DiagnosticRecord> &getRecords() const { return records; }
  /// A line each, as in "file:3:5: error: expected …".
  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  std::vector<DiagnosticRecord> records;
};

} // namespace tilus
