// The compiler behind a dispatcher: compiles kernels in this process when they are called, with a disk cache.
//
// Owns what the two have in common: the translation of requests, the keys of compiled kernels, and what these
// keys say of the tools. How kernels are compiled is the Compiler's, how they are called the Runtime's.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Compiler/CompileOptions.h"
#include "Tilus/Jit/KernelSource.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/KernelCache.h"
#include "Tilus/Support/KernelKey.h"

namespace tilus {

class ToolFingerprints;

struct JitOptions {
  CompileOptions compile;
  /// Where compiled kernels are kept; null to compile each time.
  std::shared_ptr<KernelCache> cache;
};

/// What tells this build of the compiler from others: the version and the build id of the program or library
/// that it is in, or else the hash of that file.
std::string getCompilerBuild();

/// One in a process is enough for all kernels. Threads may share it.
class Jit {
public:
  explicit Jit(JitOptions options);
  ~Jit();

  /// The function with which a dispatcher compiles the kernel; its requests must have a signature that the
  /// source made. It gives one candidate. The Jit must outlive it.
  CompileFunction getCompileFunction(KernelSource source) const;

  /// Compiles for one request, in a context of its own. Errors are the diagnostics, one a line. Where a cache
  /// is used, its key for the request is put in `key`.
  llvm::Expected<Candidate> compile(const KernelSource &source, const CompileRequest &request,
                                    std::optional<Hash256> *key = nullptr) const;

  /// The key of what a request compiles to: two requests with one key give one kernel.
  Hash256 getKey(const KernelSource &source, const CompileRequest &request) const;

  /// The files of the CUDA toolkit that kernels may be made with, as they are found now.
  std::vector<std::string> findToolFiles() const;

  const JitOptions &getOptions() const { return options; }

private:
  llvm::Expected<KernelArtifact> compileAnew(const KernelSource &source, const CompileRequest &request) const;

  JitOptions options;
  mlir::DialectRegistry registry;
  /// The part of all keys that does not depend on the request.
  KernelKeyInputs commonInputs;
  std::unique_ptr<ToolFingerprints> fingerprints;
};

} // namespace tilus
