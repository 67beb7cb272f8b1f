// What is kept on disk of scripts: which kernels their specialisations are, and which schedules are best.
//
// A script whose kernels are all kept needs no compiler: what it looks for is named by the compiler's build,
// which is read from the file of libTilus-C.so. The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_SCRIPTSTORE_H
#define TILUS_C_SCRIPTSTORE_H

#include "Tilus-c/Tuner.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A disk cache of kernels, which threads may share.
typedef struct TilusCache TilusCache;

/// The cache of that option: "off" for none; "on", as the environment says; or its folder, a path with '/'.
TILUS_C_FALLIBLE TilusError *tilusCacheOpen(const char *option, TilusCache **result);
/// Whether it is on, and its folder can be used; why not is told once, on the standard error.
TILUS_C_EXPORT bool tilusCacheIsUsable(const TilusCache *cache);
TILUS_C_EXPORT void tilusCacheDestroy(TilusCache *cache);

/// The build of the compiler in a file of libTilus-C.so, which need not be loaded: what tilusCompilerGetBuild
/// says there. Fails for a file without a build id.
TILUS_C_FALLIBLE TilusError *tilusReadCompilerBuild(const char *library, TilusBlob **result);

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

/// The folders of a script, one a target, in a cache: those of that build of the compiler. Nothing is kept
/// where the cache is off.
TILUS_C_FALLIBLE TilusError *tilusScriptStoreOpen(const TilusCache *cache, const char *build,
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

#endif // TILUS_C_SCRIPTSTORE_H
