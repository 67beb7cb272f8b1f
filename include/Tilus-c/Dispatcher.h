// The dispatcher of a kernel family: from a call to the launch of the code compiled for its target.
// The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_DISPATCHER_H
#define TILUS_C_DISPATCHER_H

#include "Tilus-c/Device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a value is. Values of different tags are different constants: true, 1 and 1.0 are three.
typedef enum TilusValueTag {
  TilusValueTagNone,
  TilusValueTagBool,
  TilusValueTagInt,
  TilusValueTagFloat,
  TilusValueTagPointer,
  TilusValueTagOpaque
} TilusValueTag;

/// One argument of a call, made by the functions below. All zeros is the value that they call none.
typedef struct TilusValue {
  uint64_t opaque[2];
} TilusValue;

/// The device of a pointer when it is not known, and when it is the host.
#define TILUS_DEVICE_UNKNOWN (~0u)
#define TILUS_DEVICE_HOST 254u

/// No value; for a pointer the null pointer.
TILUS_C_EXPORT TilusValue tilusValueNone(void);
TILUS_C_EXPORT TilusValue tilusValueBool(bool value);
TILUS_C_EXPORT TilusValue tilusValueInt(int64_t value);
TILUS_C_EXPORT TilusValue tilusValueFloat(double value);
/// An address; the bytes of memory behind it, 0 if that is not known, at most 2^48 - 1; and the number of the
/// device, below 254, that the memory belongs to, or one of the two above.
TILUS_C_EXPORT TilusValue tilusValuePointer(uint64_t address, uint64_t bytes, unsigned device);
/// A constant that only the caller understands: a number that stands for it.
TILUS_C_EXPORT TilusValue tilusValueOpaque(uint64_t id);
TILUS_C_EXPORT TilusValueTag tilusValueGetTag(TilusValue value);
/// The value: 0 or 1, the integer, the bits of the double, the address, the number.
TILUS_C_EXPORT uint64_t tilusValueGetBits(TilusValue value);

/// What a parameter of a call is.
typedef enum TilusParamKind {
  /// Known when the kernel is compiled; no parameter of the kernel.
  TilusParamKindConstant,
  TilusParamKindInteger,
  TilusParamKindFloat,
  TilusParamKindPointer
} TilusParamKind;

/// One parameter of a call. The kernel's parameters are those that are no constants, in order.
typedef struct TilusCallParam {
  const char *name;
  TilusParamKind kind;
  /// The sum of the powers of two, 2 to 128, between which the code is specialised, for integers and
  /// pointers: with 16, values are multiples of 16 or anything. 0: not at all.
  unsigned divisors;
} TilusCallParam;

/// What is to be compiled.
typedef struct TilusCompileRequest {
  size_t size;
  /// The kernel family.
  const char *name;
  const TilusTarget *target;
  /// A value for each parameter. Those of constants are to be compiled in, the others must not matter.
  const TilusValue *arguments;
  /// What the code may rely on each value being a multiple of; 1 where there is nothing.
  const uint64_t *divisibility;
  size_t argumentCount;
} TilusCompileRequest;

/// Where a compile callback puts what it compiled.
typedef struct TilusCompileResult TilusCompileResult;

/// Adds those artifacts of the kernel (of any kernel if `entry` is null) in a file's bytes that were compiled
/// for the target of the request: candidates, one a schedule, of which the first is used. Fails if there is
/// none.
TILUS_C_FALLIBLE TilusError *tilusCompileResultAddFile(TilusCompileResult *result, const char *entry,
                                                       const void *data, size_t size);
/// Adds an artifact.
TILUS_C_FALLIBLE TilusError *tilusCompileResultAdd(TilusCompileResult *result, const TilusArtifact *artifact);

/// Whether the disk cache was asked for an artifact, and had it.
typedef enum TilusCacheOutcome { TilusCacheUnused, TilusCacheHit, TilusCacheMiss } TilusCacheOutcome;

/// Adds an artifact under a schedule, which is any text that tells it from the others; null or "" for none.
TILUS_C_FALLIBLE TilusError *tilusCompileResultAddCandidate(TilusCompileResult *result,
                                                            const TilusArtifact *artifact,
                                                            const char *schedule, TilusCacheOutcome cache);

/// Compiles for a request. Called by several threads at a time for different requests, and for equal ones
/// once. The dispatcher takes over the error that it returns, and reports it to all who wait for the kernel.
typedef TilusError *(*TilusCompileCallback)(void *userData, const TilusCompileRequest *request,
                                            TilusCompileResult *result);

/// Which way a call took to its kernel.
typedef enum TilusDispatchPath {
  /// The same as the thread's last launch.
  TilusDispatchPathShortcut,
  /// Found in the target's table.
  TilusDispatchPathTable,
  /// Compiled, chosen or loaded.
  TilusDispatchPathSlow
} TilusDispatchPath;

/// A launch as hooks see it.
typedef struct TilusLaunchInfo {
  size_t size;
  /// The kernel family, and the symbol in the binary.
  const char *name;
  const char *entry;
  const TilusTarget *target;
  unsigned device;
  TilusDispatchPath path;
  void *stream;
} TilusLaunchInfo;

/// Called on the calling thread. It may call dispatchers and change the current target.
typedef void (*TilusLaunchCallback)(void *userData, const TilusLaunchInfo *info);

/// Chooses between schedules; see Tuner.h.
typedef struct TilusTuner TilusTuner;

/// All but `size` and `compile` may be zero.
typedef struct TilusDispatcherOptions {
  size_t size;
  TilusCompileCallback compile;
  /// Called before and after each launch, that of an empty grid too.
  TilusLaunchCallback beforeLaunch;
  TilusLaunchCallback afterLaunch;
  /// Told in a line which path each call took.
  void (*log)(void *userData, const char *line);
  /// Passed to all of them.
  void *userData;
  /// About how many modules stay loaded a device; 0 for the default.
  unsigned moduleLimit;
  /// Chooses among several candidates; without it the first one is taken. Since version 2.
  const TilusTuner *tuner;
} TilusDispatcherOptions;

/// Where a call runs. All but `size` and `device` may be null.
typedef struct TilusCallSite {
  size_t size;
  const TilusDevice *device;
  /// A CUstream; null for the default stream.
  void *stream;
  /// Null for the thread's current target, or else the device's default.
  const TilusTarget *target;
} TilusCallSite;

/// What was compiled for one target and one set of constants. Two calls that share code share the instance.
typedef struct TilusInstance TilusInstance;
typedef struct TilusDispatcher TilusDispatcher;

/// A dispatcher of the family `name`, for errors, whose calls have these parameters. It keeps the devices on
/// which it launched open.
TILUS_C_FALLIBLE TilusError *tilusDispatcherCreate(const char *name, const TilusCallParam *params,
                                                   size_t paramCount, const TilusDispatcherOptions *options,
                                                   TilusDispatcher **result);
/// The parameters of its calls. The name lives as long as the dispatcher. Fails past the end.
TILUS_C_EXPORT size_t tilusDispatcherGetParamCount(const TilusDispatcher *dispatcher);
TILUS_C_FALLIBLE TilusError *tilusDispatcherGetParam(const TilusDispatcher *dispatcher, size_t index,
                                                     TilusCallParam *param);
/// Launches the kernel of the call's target and returns without waiting for it; compiles and loads it before
/// if need be. The target is read once, at entry. An empty grid launches nothing and succeeds.
TILUS_C_FALLIBLE TilusError *tilusDispatcherCall(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                                 size_t argumentCount, const TilusCallSite *site);
/// The instance of a target (of the current one if null), compiled if need be. Needs no driver. It belongs to
/// the dispatcher.
TILUS_C_FALLIBLE TilusError *tilusDispatcherCompile(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                                    size_t argumentCount, const TilusTarget *target,
                                                    const TilusInstance **result);
TILUS_C_EXPORT const TilusTarget *tilusInstanceGetTarget(const TilusInstance *instance);
/// The candidates.
TILUS_C_EXPORT size_t tilusInstanceGetCount(const TilusInstance *instance);
TILUS_C_FALLIBLE TilusError *tilusInstanceGetArtifact(const TilusInstance *instance, size_t index,
                                                      TilusArtifact **result);

/// The kernel that a call finds.
typedef struct TilusFoundKernel {
  size_t size;
  const TilusInstance *instance;
  /// The number of the candidate.
  size_t candidate;
  TilusDispatchPath path;
} TilusFoundKernel;

/// The kernel that a call under the target (the current one if null) launches, compiled if need be; for
/// programs that launch themselves or not at all. Needs no driver: among several candidates between which
/// nobody has chosen yet it takes the first, and does not remember that. Counted as a call. Fills the struct,
/// whose size is set.
TILUS_C_FALLIBLE TilusError *tilusDispatcherFind(TilusDispatcher *dispatcher, const TilusValue *arguments,
                                                 size_t argumentCount, const TilusTarget *target,
                                                 TilusFoundKernel *found);

/// The number of words of a key, and of the part of it that tells instances apart.
TILUS_C_EXPORT size_t tilusDispatcherGetKeyWords(const TilusDispatcher *dispatcher);
TILUS_C_EXPORT size_t tilusDispatcherGetJitWords(const TilusDispatcher *dispatcher);
/// Writes the key of a call, of that many words: for each constant its bits and its tag, for each argument
/// that the code is specialised for the divisor, and for each integer its value rounded up.
TILUS_C_FALLIBLE TilusError *tilusDispatcherComputeKey(const TilusDispatcher *dispatcher,
                                                       const TilusValue *arguments, size_t argumentCount,
                                                       uint64_t *key);

/// An entry of the dispatch table of a target. The key is valid during the call alone.
typedef void (*TilusEntryCallback)(void *userData, const uint64_t *key, size_t keyWords,
                                   const TilusInstance *instance, size_t candidate);
/// Calls the function for each entry, in the order in which they came.
TILUS_C_FALLIBLE TilusError *tilusDispatcherVisitEntries(const TilusDispatcher *dispatcher,
                                                         const TilusTarget *target, TilusEntryCallback visit,
                                                         void *userData);

/// What a dispatcher did for one target. The calls by path add up to all that found a kernel.
typedef struct TilusTargetStats {
  size_t size;
  uint64_t instances;
  uint64_t entries;
  uint64_t shortcutHits;
  uint64_t tableHits;
  uint64_t slowCalls;
  uint64_t cacheHits;
  uint64_t cacheMisses;
  /// In the compile callback, summed over threads.
  double compileMilliseconds;
} TilusTargetStats;

/// Fills the struct, whose size is set; zeros for a target that was not used.
TILUS_C_FALLIBLE TilusError *tilusDispatcherGetStats(const TilusDispatcher *dispatcher,
                                                     const TilusTarget *target, TilusTargetStats *stats);
/// Destroys it. No thread may be in a call.
TILUS_C_EXPORT void tilusDispatcherDestroy(TilusDispatcher *dispatcher);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_DISPATCHER_H
