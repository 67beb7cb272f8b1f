// Scripts, which make kernels of their own: kernels that are compiled one by one with a disk cache, and what
// is kept on disk of a script.
//
// The library libTilus-C.so has it. The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_SCRIPT_H
#define TILUS_C_SCRIPT_H

#include "Tilus-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

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

//===----------------------------------------------------------------------===//
// What is kept of a script
//===----------------------------------------------------------------------===//

typedef struct TilusScriptIdentity {
  size_t size;
  /// The name of the class or function, for people.
  const char *name;
  /// All that its kernels are made from: other text, other kernels.
  TilusBytes program;
  /// The options, in a text that is the same for the same options.
  TilusBytes options;
} TilusScriptIdentity;

/// One artifact of a specialisation.
typedef struct TilusStoredKernel {
  const char *schedule;
  /// Its key in the cache.
  const char *key;
} TilusStoredKernel;

/// The folders of a script, one a target, in the compiler's cache. Nothing is kept where that is off.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreCreate(const TilusCompiler *compiler,
                                                    const TilusScriptIdentity *identity,
                                                    TilusScriptStore **result);
/// The path of the folder for a target, made if it is missing; "" where nothing is kept.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreGetPath(const TilusScriptStore *store, const TilusTarget *target,
                                                     TilusBlob **result);
/// Adds the candidates of the specialisation that has the key, any bytes, to the result, and says whether all
/// were there. `schedules` are the ones that there are today; nothing is found if another was stored.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreFind(const TilusScriptStore *store, const TilusTarget *target,
                                                  TilusBytes key, const char *const *schedules,
                                                  size_t scheduleCount, TilusCompileResult *result,
                                                  bool *isFound);
/// Keeps a specialisation, in place of an older one with its key.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreSave(const TilusScriptStore *store, const TilusTarget *target,
                                                  TilusBytes key, const TilusStoredKernel *kernels,
                                                  size_t kernelCount);
TILUS_C_EXPORT void tilusScriptStoreDestroy(TilusScriptStore *store);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_SCRIPT_H
