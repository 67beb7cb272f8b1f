// What the parts of the compiler's module share beside the IR: errors with diagnostics, compilers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_PYTHON_COMPILER_H
#define TILUS_PYTHON_COMPILER_H

#include "IR.h"
#include "Native.h"

#include "Tilus-c/Compiler.h"

namespace tilus::python {

/// Raises the error, which it takes over: as MLIRError if it has diagnostics, else as checkError does.
void checkDiagnostics(TilusError *error);

/// A compiler with its options, which threads may share.
struct Compiler {
  std::shared_ptr<TilusCompiler> handle;
};

/// The artifacts in the bytes of a file of them, as objects of the runtime's module: it and this one have
/// libraries of their own.
nb::object parseArtifacts(const nb::bytes &bytes);

/// Bind the classes.
void bindCompiler(nb::module_ &module);
void bindKernels(nb::module_ &module);
void bindReference(nb::module_ &module);

} // namespace tilus::python

#endif // TILUS_PYTHON_COMPILER_H
