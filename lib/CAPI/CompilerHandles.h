// The objects behind the handles of the compiler's part of the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Dispatcher.h"
#include "Tilus-c/Script.h"
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

struct TilusKernelSource {
  tilus::KernelSource source;
};

namespace tilus::capi {

/// A module's text. MLIR wants a zero behind it.
struct SourceText {
  std::string data;
  llvm::StringRef fileName;
};

/// Copies the text, and checks it as far as it can be without a context.
TilusError *readSource(const TilusModuleSource *source, SourceText &text);

/// The targets of a compilation: one null if there are none, which stands for the module's own.
TilusError *readTargets(const TilusTarget *const *targets, size_t count,
                        llvm::SmallVectorImpl<const Target *> &result);
/// Compiles all kernels of a module, which may change its target, for each of the targets. Reports an error
/// on a module without kernels.
mlir::FailureOr<ArtifactFile> compileAll(mlir::ModuleOp module, llvm::ArrayRef<const Target *> targets,
                                         const CompileOptions &options);
/// The file's bytes.
TilusError *writeFile(const ArtifactFile &file, TilusBlob **result);

} // namespace tilus::capi
