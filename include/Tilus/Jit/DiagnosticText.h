// Diagnostics as an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/DiagnosticError.h"

#include "mlir/IR/Diagnostics.h"

namespace tilus {

/// Keeps the errors of a context, and their notes, while it lives; nobody else sees them.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);

  /// What was reported since the last one, as a DiagnosticError. Never success.
  llvm::Error takeError();

private:
  void add(mlir::Diagnostic &diagnostic);
  /// Adds a note for each call that a location lies in, innermost first; those of notes only where they
  /// differ. A name around the place of a call is that of the function that makes it.
  void addCallers(mlir::Location location);

  std::vector<DiagnosticRecord> records;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilus
