// What the parts of the native module share beside the IR: errors of the C API, targets, compiled kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_NATIVE_H
#define TILUS_PYTHON_NATIVE_H

#include "IR.h"

#include "Tilus-c/Compiler.h"

#include <memory>
#include <string>
#include <vector>

namespace tilus::python {

/// Raises the error, which it takes over: as MLIRError if it has diagnostics, else as a RuntimeError. Does
/// nothing for null. The GIL must be held.
void checkError(TilusError *error);

/// The target of that name, as in "sm_90a" or "sm_90a,+ptx88".
const TilusTarget *lookUpTarget(std::string_view name);
std::vector<const TilusTarget *> lookUpTargets(const std::vector<std::string> &names);

/// A compiler with its options, which threads may share.
struct Compiler {
  std::shared_ptr<TilusCompiler> handle;
};

/// A compiled kernel.
struct Artifact {
  std::shared_ptr<TilusArtifact> handle;

  TilusArtifactInfo getInfo() const;
};

/// A parameter of a kernel.
struct Param {
  std::string name;
  std::string type;
  unsigned bits = 0;
  bool isPointer = false;
  uint64_t divisibility = 1;
};

Param makeParam(const TilusParamInfo &info);
/// The artifacts in the bytes of a file of them.
std::vector<Artifact> readArtifacts(TilusBytes bytes);

/// Bind the classes.
void bindArtifacts(nb::module_ &module);
void bindCompiler(nb::module_ &module);
void bindReference(nb::module_ &module);

} // namespace tilus::python

#endif // TILUS_PYTHON_NATIVE_H
