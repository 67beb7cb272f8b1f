// What is needed to repeat a failed pass: its input, the pipeline, the versions and the messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <string>

namespace tilus {

/// Collects what is reported while it lives; others still get to see it.
class DiagnosticLog {
public:
  explicit DiagnosticLog(mlir::MLIRContext *context);
  llvm::StringRef getText() const { return text; }

private:
  std::string text;
  mlir::ScopedDiagnosticHandler handler;
};

/// The text of a file that `tilus-opt --run-reproducer` runs: the versions and the log as comments, the
/// module as it was before the pipeline, and the pipeline.
std::string makeReproducer(llvm::StringRef moduleText, llvm::StringRef pipeline, llvm::StringRef log);

/// Writes it to the folder, which is made if it is not there, and reports the path, or why it could not be
/// written, as a remark on the module.
void writeReproducer(mlir::ModuleOp module, llvm::StringRef folder, llvm::StringRef name,
                     llvm::StringRef content);

} // namespace tilus
