/* The function of host.mlir, and what calls it.
   SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef HOST_PROGRAM_RUN_H
#define HOST_PROGRAM_RUN_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Launches the kernel `mark` on the stream, in whose context `x` lies. */
typedef void (*RunFunction)(void *stream, int32_t n, float scale, uint64_t x);

/* Calls it on each device and prints which code ran; with `values` 0 it does not look at the results, which a
   driver without a GPU has not. Returns 0, or 1 if something was wrong. */
int runOnAllDevices(RunFunction run, int values);

#ifdef __cplusplus
}
#endif

#endif
