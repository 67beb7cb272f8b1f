// The CPU reference in C: executes a kernel on memory of the host, for any target and without a GPU.
//
// The library libTilus-C.so has it. The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_REFERENCE_H
#define TILUS_C_REFERENCE_H

#include "Tilus-c/Compiler.h"

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A kernel that is executed on the CPU. Calls from several threads wait for each other.
typedef struct TilusReference TilusReference;

/// The reference of a kernel (of the only one if `kernel` is null) of a module, of which it makes a copy that
/// needs the module's context no more. `target` is what the kernel's questions for a target are answered by;
/// null for the one that the module names, if any. Fails for a module that is not valid, with diagnostics.
TILUS_C_FALLIBLE TilusError *tilusReferenceCreate(MlirModule module, const char *kernel,
                                                  const TilusTarget *target, TilusReference **result);
/// The kernel's name and its parameters. What is in the struct, whose size is set, lives as long as the
/// reference. Fails past the end.
TILUS_C_EXPORT const char *tilusReferenceGetName(const TilusReference *reference);
TILUS_C_EXPORT size_t tilusReferenceGetParamCount(const TilusReference *reference);
TILUS_C_FALLIBLE TilusError *tilusReferenceGetParam(const TilusReference *reference, size_t index,
                                                    TilusParamInfo *info);

/// How a kernel is executed. All but `size` may be zero.
typedef struct TilusReferenceOptions {
  size_t size;
  /// Reports races on shared memory, reads of shared memory that nobody wrote, copies that nobody waits for,
  /// and synchronisation with threads that have ended. Costs time.
  bool checkHazards;
  /// Operations that the call may execute in all, after which it fails; 0 for any number.
  uint64_t maxSteps;
  /// Given what the kernel prints, in pieces, on the calling thread; without it prints are dropped.
  void (*output)(void *userData, const char *text, size_t size);
  void *userData;
} TilusReferenceOptions;

/// What a call did: the number of blocks along x, y and z, and of operations executed.
typedef struct TilusReferenceResult {
  size_t size;
  uint64_t blocks[3];
  uint64_t steps;
} TilusReferenceResult;

/// Executes the kernel, with a value for each parameter: an integer, bool or float for a scalar, which must
/// be able to hold it; for a pointer memory of the host with its number of bytes, packed elements, little end
/// first, or none. The same memory may be given twice. `options` may be null, as may `result`, whose size is
/// set. Fails with a diagnostic at the operation at fault: an access outside of the memory, a hazard, a
/// division by zero, an assertion, a deadlock. The memory then holds what was written up to there.
TILUS_C_FALLIBLE TilusError *tilusReferenceRun(TilusReference *reference, const TilusValue *arguments,
                                               size_t argumentCount, const TilusReferenceOptions *options,
                                               TilusReferenceResult *result);
/// Destroys it. No thread may be in a call.
TILUS_C_EXPORT void tilusReferenceDestroy(TilusReference *reference);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_REFERENCE_H
