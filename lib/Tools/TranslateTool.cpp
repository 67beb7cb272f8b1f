// The program tilus-translate: MLIR's translate driver with the project's translations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/TranslateTool.h"

#include "DriverArguments.h"
#include "Tilus/Compiler/Compiler.h"
#include "Tilus/Compiler/ParseModule.h"
#include "Tilus/Support/ArtifactFile.h"
#include "Tilus/Tools/RunOptions.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
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

static LogicalResult readTargets(mlir::ModuleOp module, llvm::ArrayRef<std::string> chips,
                                 llvm::SmallVectorImpl<const TargetInfo *> &targets) {
  for (const std::string &chip : chips) {
    targets.push_back(lookupTarget(chip));
    if (!targets.back())
      return emitFileError(module) << describeUnknownTarget(chip);
  }
  return mlir::success();
}

/// Drops all kernels but the one of that name, if it is not empty.
static LogicalResult keepKernel(mlir::ModuleOp module, llvm::StringRef name) {
  llvm::SmallVector<KernelOp> kernels = getKernels(module);
  if (name.empty())
    return mlir::success();
  if (llvm::none_of(kernels, [&](KernelOp kernel) { return kernel.getSymName() == name; }))
    return emitFileError(module) << "expected the name of a kernel of the file, but got '" << name << "'";
  for (KernelOp kernel : kernels)
    if (kernel.getSymName() != name)
      kernel.erase();
  return mlir::success();
}

/// Writes a part of the one kernel for the one target.
static LogicalResult translate(mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> targets,
                               EmitKind kind, llvm::raw_ostream &os) {
  llvm::SmallVector<KernelOp> kernels = getKernels(module);
  if (kernels.size() != 1)
    return emitFileError(module) << "expected a file with one kernel, but got " << kernels.size();
  if (targets.size() > 1)
    return emitFileError(module) << "expected one target, but got " << targets.size();
  CompileOptions options = CompileOptions::fromEnvironment();
  options.emitLLVM = kind == EmitKind::LLVM;
  options.emitCubin = kind == EmitKind::Cubin;
  std::vector<CompiledKernel> compiled;
  if (mlir::failed(compile(module, targets, options, compiled)))
    return mlir::failure();
  const KernelArtifact &artifact = compiled.front().artifact;
  /// In the order of EmitKind.
  const llvm::StringRef contents[] = {
      compiled.front().llvmIR, artifact.ptx,
      llvm::StringRef(reinterpret_cast<const char *>(artifact.cubin.data()), artifact.cubin.size())};
  os << contents[static_cast<size_t>(kind)];
  return mlir::success();
}

/// Writes an artifact file with all kernels for all targets.
static LogicalResult translateToArtifact(mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> targets,
                                         llvm::raw_ostream &os) {
  if (getKernels(module).empty())
    return emitFileError(module) << "expected a file with kernels, but got none";
  std::vector<CompiledKernel> compiled;
  if (mlir::failed(compile(module, targets, CompileOptions::fromEnvironment(), compiled)))
    return mlir::failure();
  ArtifactFile file;
  for (CompiledKernel &kernel : compiled)
    file.artifacts.push_back(std::move(kernel.artifact));
  llvm::Expected<std::string> bytes = serializeArtifacts(file);
  if (!bytes)
    return emitFileError(module) << llvm::toString(bytes.takeError());
  os << *bytes;
  return mlir::success();
}

/// Writes a lowered host module, with its gpu.binary ops, as LLVM IR.
static LogicalResult translateHost(mlir::Operation *op, llvm::raw_ostream &os) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(op, context);
  if (!module)
    return mlir::failure();
  module->print(os, nullptr);
  return mlir::success();
}

int tilus::runTilusTranslate(int argc, char **argv) {
  installFatalErrorHandler();
  namespace cl = llvm::cl;
  cl::list<std::string> chips("targets", cl::CommaSeparated,
                              cl::desc("The chips to translate for, such as sm_90a,sm_103a"));
  cl::alias target("target", cl::aliasopt(chips), cl::desc("The same as --targets"));
  cl::opt<std::string> kernel("kernel", cl::desc("The one kernel to translate, of several"));
  auto add = [&](llvm::StringRef name, llvm::StringRef description, auto translation) {
    mlir::TranslateFromMLIRRegistration(
        name, description,
        [&, translation](mlir::Operation *op, llvm::raw_ostream &os) -> LogicalResult {
          op->getContext()->printOpOnDiagnostic(false); // the driver turns it on
          auto module = mlir::dyn_cast<mlir::ModuleOp>(op);
          if (!module)
            return op->emitError() << "expected a module, but got '" << op->getName() << "'";
          llvm::SmallVector<const TargetInfo *> targets;
          if (mlir::failed(readTargets(module, chips, targets)) || mlir::failed(keepKernel(module, kernel)))
            return mlir::failure();
          return translation(module, targets, os);
        },
        registerCompilerDialects);
  };
  for (const TranslationRow &row : rows)
    add(row.name, row.description,
        [kind = row.kind](mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> targets,
                          llvm::raw_ostream &os) { return translate(module, targets, kind, os); });
  mlir::TranslateFromMLIRRegistration(
      "mlir-to-llvmir", "the LLVM IR of a host program in the LLVM dialect, with its gpu.binary ops",
      translateHost, registerCompilerDialects);
  add("tilus-to-artifact", "an artifact file with all kernels for all targets", translateToArtifact);
  if (!checkInputFiles(argc, argv))
    return 1;
  return mlir::failed(mlir::mlirTranslateMain(argc, argv, "Tilus translation driver"));
}
