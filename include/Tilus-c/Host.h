// What compiled host programs call: `#tilus.dispatch` makes a gpu.binary and its launches into these.
//
// Programs do not write such calls by hand, but for the handler of errors. The structs are laid out by
// compilers; their layouts change only together with TILUS_HOST_ABI_VERSION, which each binary states.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_HOST_H
#define TILUS_C_HOST_H

#include "Tilus-c/Support.h"

#define TILUS_HOST_ABI_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif

/// The kernels that are embedded in a program under one name.
typedef struct TilusHostBinary {
  /// TILUS_HOST_ABI_VERSION of the compiler. Others are refused.
  uint64_t version;
  const char *name;
  /// A file of artifacts: every kernel for every target.
  const void *data;
  uint64_t size;
  /// Null; then the library's.
  void *state;
} TilusHostBinary;

/// A launch.
typedef struct TilusHostLaunch {
  const char *entry;
  /// A CUstream; null for the default stream.
  void *stream;
  /// Not 0: return when the kernel has ended.
  uint64_t waits;
  /// Blocks, threads a block and blocks a cluster in x, y, z. All three numbers 0: what the kernel says;
  /// otherwise they must be what it says.
  int64_t grid[3];
  int64_t block[3];
  int64_t cluster[3];
  /// Bytes of dynamic shared memory; 0, or what the kernel says.
  int64_t sharedBytes;
  uint64_t argumentCount;
  /// The address and the size in bytes of each argument.
  const void *const *arguments;
  const uint32_t *argumentBytes;
} TilusHostLaunch;

/// Launches a kernel in the context of the stream; without a stream in the thread's current context, or else
/// in the primary context of device 0. The code is that for the thread's current target (Target.h), or else
/// the most specific that the device runs. Driver and code are loaded when they are needed first, the code
/// once a context.
/// Returns 0. A failure goes to the handler, and if that returns, gives 1.
TILUS_C_EXPORT int tilusHostLaunch(TilusHostBinary *binary, const TilusHostLaunch *launch);
/// Unloads what was loaded for the binary. No thread may be in a launch of it.
TILUS_C_EXPORT void tilusHostRelease(TilusHostBinary *binary);

/// Told of a launch that failed: the name of the binary, and the reason.
typedef void (*TilusHostErrorHandler)(void *userData, const char *binary, const char *message);
/// Sets the handler of the process; null for the first one, which writes the reason to the standard error and
/// ends the process by abort(): a host program has no other way to learn that its results are none.
TILUS_C_EXPORT void tilusHostSetErrorHandler(TilusHostErrorHandler handler, void *userData);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_HOST_H
