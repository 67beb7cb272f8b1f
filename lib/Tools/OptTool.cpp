// The program tilus-opt: MLIR's opt driver with the project's dialects, passes and pipelines.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/OptTool.h"

#include "DriverArguments.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int tilus::runTilusOpt(int argc, char **argv) {
  installFatalErrorHandler();
  mlir::DialectRegistry registry;
  registerCompilerDialects(registry);
  registerPassesAndPipelines();
  if (!checkInputFiles(argc, argv))
    return 1;
  std::vector<char *> arguments = makeDriverArguments(argc, argv);
  return mlir::asMainReturnCode(mlir::MlirOptMain(static_cast<int>(arguments.size()), arguments.data(),
                                                  "Tilus optimizer driver\n", registry));
}
