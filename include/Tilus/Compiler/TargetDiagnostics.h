// Diagnostics of one kernel's compilations for several targets, each reported once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/Diagnostics.h"

namespace tilus {

/// Holds back what is reported while it lives. At its end, what differs in the name of the target alone is
/// reported once, with the names of all targets that it was reported for.
class TargetDiagnostics {
public:
  explicit TargetDiagnostics(mlir::MLIRContext *context);
  ~TargetDiagnostics();
  TargetDiagnostics(const TargetDiagnostics &) = delete;

  /// What is reported from now on is of this target.
  void setTarget(llvm::StringRef chip);

private:
  /// A diagnostic with a mark where its texts name the target, and the targets that it is of.
  struct Entry {
    mlir::Diagnostic marked;
    llvm::SmallVector<std::string, 4> chips;
  };
  void add(const mlir::Diagnostic &diagnostic);
  void report(const Entry &entry) const;

  mlir::MLIRContext *context;
  std::vector<std::string> targets;
  std::vector<Entry> entries;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tilus
