// The objects behind the handles of the compiler's part of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Dispatcher.h"
#include "Tilus-c/Compiler.h"
#include "Tilus/Jit/Jit.h"
#include "Tilus/Support/ArtifactFile.h"

#include "mlir/IR/BuiltinOps.h"

struct TilusCompileOptions {
  tilus::CompileOptions compile;
  /// "off", "on", or the cache's folder.
  std::string cache;
};

struct TilusCompiler {
  /// What dispatchers compile with; they share it.
  std::shared_ptr<const tilus::Jit> jit;
};

namespace tilus::capi {

/// The targets of a compilation: one null if there are none, which stands for the module's own.
TilusError *readTargets(const TilusTarget *const *targets, size_t count,
                        llvm::SmallVectorImpl<const Target *> &result);
/// Compiles all kernels of a module, which may change its target, for each of the targets.
mlir::FailureOr<ArtifactFile> compileAll(mlir::ModuleOp module, llvm::ArrayRef<const Target *> targets,
                                         const CompileOptions &options);
/// The file's bytes. Fails for one without kernels.
TilusError *writeFile(const ArtifactFile &file, TilusBlob **result);

} // namespace tilus::capi
