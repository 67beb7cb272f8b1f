// The program tilus-reduce: makes a file smaller that a given program finds interesting.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"
#include "Tilus/Tools/ReductionPatterns.h"

#include "mlir/Reducer/Passes.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"

int main(int argc, char **argv) {
  tilus::installFatalErrorHandler();
  tilus::registerPassesAndPipelines();
  mlir::registerReducerPasses();
  mlir::DialectRegistry registry;
  tilus::registerCompilerDialects(registry);
  tilus::registerReductionPatterns(registry);
  mlir::MLIRContext context(registry);
  return mlir::failed(mlir::mlirReduceMain(argc, argv, context));
}
