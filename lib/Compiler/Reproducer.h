// What is needed to repeat a failed compilation: its input, the pipeline, the versions and the messages.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Target/FatalErrorHandler.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"

#include <optional>
#include <string>

namespace tilus {

/// Appends the place and the words of a diagnostic and its notes, one a line.
void appendDiagnostic(std::string &text, mlir::Diagnostic &diagnostic);

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

/// Keeps the text of a module as it is now, and what is reported from now on.
class Reproducer {
public:
  /// Files go to the folder, which is made if it is not there. `name` is that of the file without its end.
  Reproducer(mlir::ModuleOp module, llvm::StringRef folder, llvm::StringRef name);
  /// Removes what expectEnd() wrote.
  ~Reproducer();
  Reproducer(const Reproducer &) = delete;
  Reproducer &operator=(const Reproducer &) = delete;

  /// Writes a file that stays if the process ends before this object does, and has the handler of LLVM's
  /// fatal errors name it.
  void expectEnd(llvm::StringRef pipeline);
  /// Writes the file and reports its path, or why it could not be written, on the module.
  void write(llvm::StringRef pipeline);

private:
  mlir::ModuleOp module;
  std::string folder, name, before;
  DiagnosticLog log;
  std::string expected;
  std::optional<FatalErrorNote> note;
};

} // namespace tilus
