// The pass driver of the dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Conversion/Passes.h"
#include "Tilus/IR/TilusDialect.h"
#include "Tilus/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#ifdef TILUS_TEST_PASSES
#include "TestPasses.h"
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  tilus::registerTilusDialects(registry);
  registry.insert<mlir::func::FuncDialect>();
  mlir::registerTransformsPasses();
  tilus::registerTilusConversionPasses();
  tilus::registerTilusTransformsPasses();
#ifdef TILUS_TEST_PASSES
  tilus::test::registerTestPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Tilus optimizer driver\n", registry));
}
