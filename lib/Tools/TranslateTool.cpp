// The program tilus-translate: MLIR's translate driver with the project's translations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/TranslateTool.h"

#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Tools/RunOptions.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/CommandLine.h"

using namespace tilus;
using mlir::LogicalResult;

namespace {
/// A translation, and the part of a compiled kernel that it writes.
struct TranslationRow {
  llvm::StringLiteral name;
  llvm::StringLiteral description;
  EmitKind kind;
};
} // namespace

static constexpr TranslationRow rows[] = {
    {"tilus-to-llvmir", "the optimized LLVM IR of a kernel", EmitKind::LLVM},
    {"tilus-to-ptx", "the PTX of a kernel", EmitKind::PTX},
    {"tilus-to-cubin", "the cubin of a kernel", EmitKind::Cubin},
};

static LogicalResult translate(mlir::ModuleOp module, llvm::StringRef chip, EmitKind kind,
                               llvm::raw_ostream &os) {
  llvm::SmallVector<KernelOp> kernels = getKernels(module);
  if (kernels.size() != 1)
    return module.emitError() << "expected a file with one kernel, but got " << kernels.size();
  const TargetInfo *target = chip.empty() ? getModuleTarget(kernels.front()) : lookupTarget(chip);
  if (!target)
    return chip.empty() ? mlir::failure() : LogicalResult(module.emitError() << describeUnknownTarget(chip));

  CompileOptions options = CompileOptions::fromEnvironment();
  options.emitLLVM = kind == EmitKind::LLVM;
  options.emitCubin = kind == EmitKind::Cubin;
  CompiledKernel compiled;
  if (mlir::failed(compileKernel(kernels.front(), *target, options, compiled)))
    return mlir::failure();
  const std::vector<uint8_t> &cubin = compiled.artifact.cubin;
  /// In the order of EmitKind.
  const llvm::StringRef contents[] = {
      compiled.llvmIR, compiled.artifact.ptx,
      llvm::StringRef(reinterpret_cast<const char *>(cubin.data()), cubin.size())};
  os << contents[static_cast<size_t>(kind)];
  return mlir::success();
}

int tilus::runTilusTranslate(int argc, char **argv) {
  installFatalErrorHandler();
  llvm::cl::opt<std::string> target("target", llvm::cl::desc("The chip to translate for, such as sm_90a"));
  for (const TranslationRow &row : rows)
    mlir::TranslateFromMLIRRegistration(
        row.name, row.description,
        [&target, kind = row.kind](mlir::Operation *op, llvm::raw_ostream &os) -> LogicalResult {
          auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
          if (!module)
            return op->emitError() << "expected a module, but got '" << op->getName() << "'";
          return translate(module, target, kind, os);
        },
        registerCompilerDialects);
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "Tilus translation driver"));
}
