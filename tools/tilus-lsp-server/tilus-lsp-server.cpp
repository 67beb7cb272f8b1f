// The program tilus-lsp-server: what editors ask about files with Tilus IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilus::registerCompilerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
