// The plugin of Tilus for stock mlir-opt: --load-dialect-plugin and --load-pass-plugin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" __attribute__((visibility("default"))) mlir::DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tilus", TILUS_VERSION,
          [](mlir::DialectRegistry *registry) { tilus::registerCompilerDialects(*registry); }};
}

extern "C" __attribute__((visibility("default"))) mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Tilus", TILUS_VERSION, [] { tilus::registerPasses(); }};
}
