// What all parts of the C API share: versions, errors and bytes.
//
// Rules of the whole API:
// - Ownership. What comes back through a parameter `T **result` is the caller's, who ends it with the type's
//   Destroy function; that takes null too. On failure the result is null. An object keeps alive whatever it
//   was made from, so the order of destruction is free. What a function returns as a pointer to const belongs
//   to the object it was asked of, and lives as long, unless said otherwise.
// - Errors. A function that can fail returns null on success, and else an error that the caller must destroy.
//   Null and contradictory arguments are errors, not crashes. No exception leaves the library, and it does
//   not end the process. A function that returns a plain value gives 0, "" or null for a null argument.
// - Threads. Any function may be called from any thread. Objects may be shared by threads, all but
//   TilusArguments, TilusBuffer and TilusCompileResult, which one thread at a time may use. No object may be
//   destroyed while another thread uses it.
// - Structs that may grow begin with their size, which the caller sets to sizeof. A struct that is larger
//   than the library knows it was made for a later version, and is refused as an input; one of an earlier
//   version is taken, as if what was added since were zero.
// - Sizes are in bytes and strings in UTF-8, which end with a zero.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_SUPPORT_H
#define TILUS_C_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TILUS_C_EXPORT __attribute__((visibility("default")))
/// Marks functions whose error must not be lost.
#define TILUS_C_FALLIBLE __attribute__((visibility("default"), warn_unused_result))

/// The version of the runtime's part of the API. It grows with every addition; what there is stays as it is.
#define TILUS_RUNTIME_C_API_VERSION 4

#ifdef __cplusplus
extern "C" {
#endif

/// The value of TILUS_RUNTIME_C_API_VERSION that the library was built with.
TILUS_C_EXPORT int tilusRuntimeGetVersion(void);
/// The version of Tilus, as in "0.1.0".
TILUS_C_EXPORT const char *tilusGetVersionString(void);

/// Why a call failed.
typedef struct TilusError TilusError;

/// The reason, in words: "expected a device, but got null". "" for null.
TILUS_C_EXPORT const char *tilusErrorGetMessage(const TilusError *error);
/// The CUDA driver's code (a CUresult) if it was a call of the driver that failed, else 0.
TILUS_C_EXPORT int tilusErrorGetDriverCode(const TilusError *error);

/// A message of the compiler, or of the CPU reference, behind an error.
typedef struct TilusDiagnostic {
  size_t size;
  /// "error", or "note" of the one before.
  const char *severity;
  const char *message;
  /// Where, in the program's source: "" and zeros where that is not known.
  const char *file;
  unsigned line;
  unsigned column;
} TilusDiagnostic;

/// The messages of which the error's is made; none for an error of the API itself.
TILUS_C_EXPORT size_t tilusErrorGetDiagnosticCount(const TilusError *error);
/// Fills the struct, whose size is set; what is in it lives as long as the error. Fails past the end.
TILUS_C_FALLIBLE TilusError *tilusErrorGetDiagnostic(const TilusError *error, size_t index,
                                                     TilusDiagnostic *diagnostic);

/// An error of a callback, with a copy of the message.
TILUS_C_EXPORT TilusError *tilusErrorCreate(const char *message);
TILUS_C_EXPORT void tilusErrorDestroy(TilusError *error);

/// Bytes that belong to somebody else. Text is not counted with its ending zero.
typedef struct TilusBytes {
  const void *data;
  size_t size;
} TilusBytes;

/// Bytes that a function made.
typedef struct TilusBlob TilusBlob;

TILUS_C_EXPORT TilusBytes tilusBlobGetBytes(const TilusBlob *blob);
TILUS_C_EXPORT void tilusBlobDestroy(TilusBlob *blob);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_SUPPORT_H
