// Compiles a host program in MLIR in process, and runs it on each device: examples/consumers/host_program.
//
//   host-jit <file.mlir> [--no-values]
// Kernels in the file are compiled for sm_80, sm_90a and sm_103a, which takes an assembler; a file that has
// them compiled, in a gpu.binary with #tilus.dispatch, needs none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus-c/Host.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/Pipelines.h"

#include "run.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/TargetSelect.h"

static constexpr llvm::StringLiteral pipeline =
    "tilus-to-cubin{targets=sm_80,sm_90a,sm_103a handler=dispatch}";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "host-jit: " << message << "\n";
  return 1;
}

/// Makes machine code of the program's host side. The runtime is in this process; its two functions are all
/// that the code needs.
static llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> makeEngine(mlir::ModuleOp module) {
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> engine = mlir::ExecutionEngine::create(module);
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols([](llvm::orc::MangleAndInterner intern) {
    llvm::orc::SymbolMap symbols;
    auto add = [&](llvm::StringRef name, auto *function) {
      symbols[intern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function), llvm::JITSymbolFlags::Exported};
    };
    add("tilusHostLaunch", &tilusHostLaunch);
    add("tilusHostRelease", &tilusHostRelease);
    return symbols;
  });
  (*engine)->initialize();
  return engine;
}

int main(int argc, char **argv) {
  if (argc < 2)
    return fail("expected a file, but got none");
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  tilus::installFatalErrorHandler();
  tilus::registerPassesAndPipelines();
  mlir::DialectRegistry registry;
  tilus::registerCompilerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  mlir::PassManager manager(&context, mlir::ModuleOp::getOperationName());
  if (!module || mlir::failed(mlir::parsePassPipeline(pipeline, manager)) ||
      mlir::failed(manager.run(*module)))
    return fail("the program was not compiled");
  llvm::Expected<std::unique_ptr<mlir::ExecutionEngine>> engine = makeEngine(*module);
  if (!engine)
    return fail(llvm::toString(engine.takeError()));
  llvm::Expected<void *> run = (*engine)->lookup("run");
  if (!run)
    return fail(llvm::toString(run.takeError()));
  bool looksAtValues = argc < 3 || llvm::StringRef(argv[2]) != "--no-values";
  return runOnAllDevices(reinterpret_cast<RunFunction>(*run), looksAtValues);
}
