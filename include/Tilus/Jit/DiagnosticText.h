// Diagnostics as the text of an error.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/Error.h"

namespace tilus {

/// Keeps the errors of a context, and their notes, while it lives; nobody else sees them.
class DiagnosticText {
public:
  explicit DiagnosticText(mlir::MLIRContext *context);

  /// What was reported, a line each: "file:3:5: error: expected …". Never empty.
  llvm::Error takeError();

private:
  void add(mlir::Diagnostic &diagnostic);

  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace tilus
