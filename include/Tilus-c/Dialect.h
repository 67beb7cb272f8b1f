// The dialect of Tilus in MLIR's C API, for programs that build or hold their modules there.
//
// The library libTilus-C.so has it, together with the core of MLIR's C API and that of the dialects with
// which kernels are written; a program that uses these links no other MLIR. Needs MLIR's headers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_DIALECT_H
#define TILUS_C_DIALECT_H

#include "Tilus-c/Script.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The dialect 'tilus'.
MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Tilus, tilus);

/// Adds all dialects, and all that they are translated with, that a context needs to compile kernels.
TILUS_C_EXPORT void tilusRegisterCompilerDialects(MlirDialectRegistry registry);
/// Registers the passes and pipelines (tilus-to-nvvm and others) for textual pipelines. May be called often.
TILUS_C_EXPORT void tilusRegisterPasses(void);

/// The module that the text or bytecode holds, which is the caller's; what is not inside of a module is put
/// into one. Diagnostics go to the context's handlers; the error says that there are some.
TILUS_C_FALLIBLE TilusError *tilusParseModule(MlirContext context, const TilusModuleSource *source,
                                              MlirModule *result);

/// What tilusCompile does, for a module whose context has the compiler's dialects. The module stays as it is;
/// no other thread may use its context. Diagnostics go to the context's handlers; the error says that there
/// are some.
TILUS_C_FALLIBLE TilusError *tilusCompileModule(const TilusCompiler *compiler, MlirModule module,
                                                const TilusTarget *const *targets, size_t targetCount,
                                                TilusBlob **result);

/// The kernel of that name of a module, or the only one if the name is null. It is verified; the module stays
/// as it is, and no other thread may use its context. Diagnostics go to the context's handlers; the error
/// says that there are some.
TILUS_C_FALLIBLE TilusError *tilusKernelSourceCreate(MlirModule module, const char *kernel,
                                                     TilusKernelSource **result);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_DIALECT_H
