// Scripts, which make kernels of their own: kernels that are compiled one by one with a disk cache.
//
// The library libTilus-C.so has it. The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_SCRIPT_H
#define TILUS_C_SCRIPT_H

#include "Tilus-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One kernel as text, which does not change: any number of threads may compile it.
typedef struct TilusKernelSource TilusKernelSource;

/// The kernel of that name, or the only one if the name is null. See also Dialect.h.
TILUS_C_FALLIBLE TilusError *tilusKernelSourceParse(const TilusModuleSource *source, const char *kernel,
                                                    TilusKernelSource **result);
TILUS_C_EXPORT const char *tilusKernelSourceGetName(const TilusKernelSource *source);
/// The text of a module of the kernel alone, in the generic form and with its places, and of no target.
TILUS_C_EXPORT TilusBytes tilusKernelSourceGetText(const TilusKernelSource *source);
TILUS_C_EXPORT void tilusKernelSourceDestroy(TilusKernelSource *source);

/// The number of digits of a kernel's key in the cache.
#define TILUS_KERNEL_KEY_DIGITS 64

typedef struct TilusCompiledKernel {
  size_t size;
  /// The caller's.
  TilusArtifact *artifact;
  /// What it is in the cache, in hexadecimal digits; "" where the compiler has none.
  char key[TILUS_KERNEL_KEY_DIGITS + 1];
  TilusCacheOutcome cache;
} TilusCompiledKernel;

/// Compiles the kernel for the target, or takes it from the compiler's cache. Fills the struct, whose size is
/// set. The error has the diagnostics, one a line.
TILUS_C_FALLIBLE TilusError *tilusCompileKernel(const TilusCompiler *compiler,
                                                const TilusKernelSource *source, const TilusTarget *target,
                                                TilusCompiledKernel *result);

/// The folders of a script for this compiler, in its cache; see ScriptStore.h.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreCreate(const TilusCompiler *compiler,
                                                    const TilusScriptIdentity *identity,
                                                    TilusScriptStore **result);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_SCRIPT_H
