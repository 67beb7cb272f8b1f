// Reading of modules from text that comes from anywhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

namespace tilus {

/// Reports text that nests too deeply to be parsed, at its place.
mlir::LogicalResult checkNesting(llvm::StringRef text, mlir::MLIRContext *context, llvm::StringRef fileName);

/// The module of the text. What is wrong is reported to the context; null then.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(llvm::StringRef text, mlir::MLIRContext *context,
                                              llvm::StringRef fileName = "");

/// An error about a file as a whole, at its first line: a module that is not written out is at none.
mlir::InFlightDiagnostic emitFileError(mlir::ModuleOp module);

} // namespace tilus
