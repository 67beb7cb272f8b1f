// The C API of the compiler: from the text of a module to compiled kernels, at once or when they are called.
//
// The library libTilus-C.so has it, beside all of Runtime.h. The rules on ownership, errors and threads are
// in Support.h. Two things they cannot promise here: bytecode must come from somebody who is trusted, since
// MLIR does not check all of it; and LLVM ends the process when memory runs out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_COMPILER_H
#define TILUS_C_COMPILER_H

#include "Tilus-c/Runtime.h"

/// The version of the compiler's part of the API. It grows with every addition; what there is stays as it is.
#define TILUS_COMPILER_C_API_VERSION 4

#ifdef __cplusplus
extern "C" {
#endif

/// The value of TILUS_COMPILER_C_API_VERSION that the library was built with.
TILUS_C_EXPORT int tilusCompilerGetVersion(void);
/// What tells this build of the compiler from others.
TILUS_C_EXPORT const char *tilusCompilerGetBuild(void);

/// What compilations depend on besides the kernel and its target. One thread at a time may use it.
typedef struct TilusCompileOptions TilusCompileOptions;
/// A compiler with its options, which do not change. Threads may share it.
typedef struct TilusCompiler TilusCompiler;

/// The defaults, changed by the environment: TILUS_CUDA_PATH, CUDA_HOME, CUDA_PATH, TILUS_LIBDEVICE,
/// TILUS_NVJITLINK, TILUS_PTXAS, VIRTUAL_ENV, TILUS_REPRODUCER_DIR and TILUS_DUMP.
TILUS_C_FALLIBLE TilusError *tilusCompileOptionsCreate(TilusCompileOptions **result);
/// Sets an option by name. Fails for a name that there is not, with those there are, and for a value that
/// does not suit. Switches are "true" or "false".
///   assembler        "auto", "nvjitlink" or "ptxas"
///   cache            "off", the default; "on", a disk cache as the environment says (TILUS_CACHE,
///                    TILUS_CACHE_DIR, TILUS_CACHE_BYTES, TILUS_CACHE_SECRET); or its folder, a path with '/'
///   cubin            a switch; without it compilation ends at PTX and needs no assembler
///   cuda-path        the root of a CUDA toolkit, looked in first
///   dump-dir         where every stage of a compilation is written, which then takes place even if the cache
///                    has the kernel; "" for nowhere
///   fast-math        a switch: approximate division and functions in f32 and f16, subnormals flushed
///   line-info        a switch: line tables
///   opt-level        "0" to "3"
///   reproducer-dir   where a failed pass writes what is needed to repeat it; "" for nowhere
///   site-packages    a folder of Python's that may have wheels of the CUDA toolkit, looked in last; each
///   that is
///                    set counts
///   verify-phases    a switch: checks between the passes
TILUS_C_FALLIBLE TilusError *tilusCompileOptionsSet(TilusCompileOptions *options, const char *name,
                                                    const char *value);
TILUS_C_EXPORT void tilusCompileOptionsDestroy(TilusCompileOptions *options);

/// A compiler with a copy of the options; with the defaults if they are null.
TILUS_C_FALLIBLE TilusError *tilusCompilerCreate(const TilusCompileOptions *options, TilusCompiler **result);
/// The files of the CUDA toolkit that kernels may be made with, as they are found now: a path a line.
TILUS_C_FALLIBLE TilusError *tilusCompilerFindToolFiles(const TilusCompiler *compiler, TilusBlob **result);
TILUS_C_EXPORT void tilusCompilerDestroy(TilusCompiler *compiler);

/// A module as text or bytecode.
typedef struct TilusModuleSource {
  size_t size;
  const void *data;
  size_t dataSize;
  /// The name that messages and line tables give it; null for "module".
  const char *fileName;
} TilusModuleSource;

/// Compiles all kernels of a module for each of the targets (for the one that the module names if there are
/// none) to the bytes of a file of artifacts, targets outermost. The error has the diagnostics, one a line.
TILUS_C_FALLIBLE TilusError *tilusCompile(const TilusCompiler *compiler, const TilusModuleSource *source,
                                          const TilusTarget *const *targets, size_t targetCount,
                                          TilusBlob **result);

/// How the calls of a kernel are specialised. All but `size` may be zero.
typedef struct TilusSpecialization {
  size_t size;
  /// The kernel; null for the only one of the module.
  const char *kernel;
  /// Parameters, by name, whose values are compiled in: integers, bools and floats.
  const char *const *constants;
  size_t constantCount;
  /// The sum of the powers of two, 2 to 128, by which integers are told apart; see TilusCallParam.
  unsigned divisors;
} TilusSpecialization;

/// A dispatcher of a kernel of a module, which compiles it for a target when it is called there first. Its
/// parameters are the kernel's, in order. `options` may be null, and must have no compile callback.
TILUS_C_FALLIBLE TilusError *tilusDispatcherCreateFromModule(const TilusCompiler *compiler,
                                                             const TilusModuleSource *source,
                                                             const TilusSpecialization *specialization,
                                                             const TilusDispatcherOptions *options,
                                                             TilusDispatcher **result);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_COMPILER_H
