// Targets, which are chips and features that code is compiled for, and the current target of a thread.
// The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_TARGET_H
#define TILUS_C_TARGET_H

#include "Tilus-c/Support.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A target. There is one object a distinct target in a process and it lives as long as the process: equal
/// targets have equal addresses, and there is nothing to destroy.
typedef struct TilusTarget TilusTarget;

/// The target of a chip such as "sm_90a", with LLVM's subtarget features apart by commas, such as "+ptx88";
/// null for none. Fails for an unknown chip, with a suggestion.
TILUS_C_FALLIBLE TilusError *tilusTargetLookup(const char *chip, const char *features,
                                               const TilusTarget **result);

/// The number of chips that are known, and the name of one of them; null past the end.
TILUS_C_EXPORT size_t tilusTargetGetChipCount(void);
TILUS_C_EXPORT const char *tilusTargetGetChipAt(size_t index);

/// "sm_90a", or "sm_90a,+ptx88" with features.
TILUS_C_EXPORT const char *tilusTargetGetName(const TilusTarget *target);
TILUS_C_EXPORT const char *tilusTargetGetChip(const TilusTarget *target);
TILUS_C_EXPORT const char *tilusTargetGetFeatures(const TilusTarget *target);
TILUS_C_EXPORT const char *tilusTargetGetTriple(const TilusTarget *target);
/// The most bytes of shared memory that a block may have. Since version 2.
TILUS_C_EXPORT uint64_t tilusTargetGetSharedMemory(const TilusTarget *target);
/// Whether code that requires `other` is legal on the target.
TILUS_C_EXPORT bool tilusTargetSupports(const TilusTarget *target, const TilusTarget *other);
/// Whether the target has the feature of that name, such as "tma"; false for a name that there is not.
TILUS_C_EXPORT bool tilusTargetHasFeature(const TilusTarget *target, const char *feature);
/// Whether a binary for the target runs on devices of that compute capability.
TILUS_C_EXPORT bool tilusTargetCanRunOn(const TilusTarget *target, int major, int minor);

/// Makes the target the calling thread's current one, until the pop that belongs to it. Scopes nest.
TILUS_C_FALLIBLE TilusError *tilusTargetScopePush(const TilusTarget *target);
/// Ends the innermost scope of the calling thread. Fails if there is none.
TILUS_C_FALLIBLE TilusError *tilusTargetScopePop(void);
/// The calling thread's current target, null outside of all scopes.
TILUS_C_EXPORT const TilusTarget *tilusTargetGetCurrent(void);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_TARGET_H
