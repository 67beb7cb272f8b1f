// From a kernel to its artifact: passes, LLVM, assembler.
//
// Owns the way of one kernel for one target. The order of the passes is in Pipelines.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/CompileOptions.h"
#include "Tilus/IR/TilusOps.h"
#include "Tilus/Support/KernelArtifact.h"
#include "Tilus/Target/FatalErrorHandler.h" // for tools: installFatalErrorHandler
#include "Tilus/TargetInfo/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace tilus {

/// Wall-clock time of the stages, in milliseconds.
struct CompileTimes {
  double total = 0;
  double passes = 0;
  double llvm = 0;
  double assembler = 0;
};

/// A kernel compiled for one target.
struct CompiledKernel {
  KernelArtifact artifact;
  /// The text of the LLVM IR, if it was asked for.
  std::string llvmIR;
  CompileTimes times;
};

/// Registers all that a context needs to compile kernels.
void registerCompilerDialects(mlir::DialectRegistry &registry);

/// Registers how `#tilus.dispatch` is translated to LLVM IR. registerCompilerDialects does so too; this is
/// for programs that bring the other dialects themselves.
void registerDispatchTranslation(mlir::DialectRegistry &registry);

/// Compiles one kernel, which stays as it is, for a target. Errors are reported as diagnostics at their
/// source. What was made before the error stays in `result`: where only the assembler fails, the PTX is
/// there.
mlir::LogicalResult compileKernel(KernelOp kernel, const TargetInfo &target, const CompileOptions &options,
                                  CompiledKernel &result);

/// The kernels of a module, those in nested modules too, in order.
llvm::SmallVector<KernelOp> getKernels(mlir::ModuleOp module);

/// The target that the module names for the kernel; null, with an error on the kernel, if it names none.
const TargetInfo *getModuleTarget(KernelOp kernel);

/// Compiles all kernels of a module for each of the targets, or for the module's own if there are none.
/// `results` has one entry a kernel and target, kernels outermost, up to the first that failed.
mlir::LogicalResult compile(mlir::ModuleOp module, llvm::ArrayRef<const TargetInfo *> targets,
                            const CompileOptions &options, std::vector<CompiledKernel> &results);

/// The version of Tilus and of LLVM, as in "0.1.0".
llvm::StringRef getTilusVersion();
llvm::StringRef getLLVMVersion();

} // namespace tilus
