// Compiled kernels: files that hold them, and what is known of each.
// The rules on ownership, errors and threads are in Support.h.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef TILUS_C_ARTIFACT_H
#define TILUS_C_ARTIFACT_H

#include "Tilus-c/Target.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The artifacts of a file: compiled kernels, for one or many targets.
typedef struct TilusArtifactFile TilusArtifactFile;
/// A compiled kernel.
typedef struct TilusArtifact TilusArtifact;

/// Reads a file, or the bytes of one. Every byte is checked before it is used.
TILUS_C_FALLIBLE TilusError *tilusArtifactFileRead(const char *path, TilusArtifactFile **result);
TILUS_C_FALLIBLE TilusError *tilusArtifactFileParse(const void *data, size_t size,
                                                    TilusArtifactFile **result);
TILUS_C_EXPORT size_t tilusArtifactFileGetCount(const TilusArtifactFile *file);
/// Artifact number `index`. Fails past the end.
TILUS_C_FALLIBLE TilusError *tilusArtifactFileGet(const TilusArtifactFile *file, size_t index,
                                                  TilusArtifact **result);
/// The first artifact of the kernel (of any kernel if `entry` is null) that was compiled for the target.
/// Fails if there is none, with what the file holds.
TILUS_C_FALLIBLE TilusError *tilusArtifactFileFind(const TilusArtifactFile *file, const char *entry,
                                                   const TilusTarget *target, TilusArtifact **result);
TILUS_C_EXPORT void tilusArtifactFileDestroy(TilusArtifactFile *file);

/// The bytes of a file that holds these artifacts.
TILUS_C_FALLIBLE TilusError *tilusArtifactsSerialize(const TilusArtifact *const *artifacts, size_t count,
                                                     TilusBlob **result);

/// What is known of an artifact.
typedef struct TilusArtifactInfo {
  size_t size;
  /// The symbol in the binary.
  const char *entry;
  /// The target; null if this library does not know the chip. Then its three parts in words.
  const TilusTarget *target;
  const char *triple;
  const char *chip;
  const char *features;
  /// The schedule's name or hash; empty where there was none to choose.
  const char *schedule;
  /// Empty if there is none.
  TilusBytes cubin;
  TilusBytes ptx;
  TilusBytes ir;
  /// Threads a block, and blocks a cluster in x, y, z: all 1 without clusters.
  unsigned blockThreads;
  unsigned cluster[3];
  /// Shared memory of a block that the launch asks for, and that the binary declares.
  unsigned dynamicSharedBytes;
  unsigned staticSharedBytes;
  /// Registers a thread, and bytes a thread that are spilled.
  unsigned registers;
  unsigned spillBytes;
  size_t paramCount;
  size_t workspaceCount;
  size_t tensorMapCount;
  /// What built the binary.
  const char *tilusVersion;
  const char *llvmVersion;
  const char *assembler;
} TilusArtifactInfo;

/// One parameter of a kernel.
typedef struct TilusParamInfo {
  size_t size;
  const char *name;
  /// The type of the scalar, or of the elements pointed to, as in "f32", and its width in bits.
  const char *type;
  unsigned bits;
  bool isPointer;
  /// The code relies on the value (for a pointer, the address) being a multiple of this.
  uint64_t divisibility;
} TilusParamInfo;

/// Fills the struct, whose size is set; what is in it lives as long as the artifact.
TILUS_C_FALLIBLE TilusError *tilusArtifactGetInfo(const TilusArtifact *artifact, TilusArtifactInfo *info);
/// The same for parameter number `index`. Fails past the end.
TILUS_C_FALLIBLE TilusError *tilusArtifactGetParam(const TilusArtifact *artifact, size_t index,
                                                   TilusParamInfo *info);
/// The binary; empty if there is none.
TILUS_C_EXPORT TilusBytes tilusArtifactGetCubin(const TilusArtifact *artifact);
TILUS_C_EXPORT void tilusArtifactDestroy(TilusArtifact *artifact);

#ifdef __cplusplus
}
#endif

#endif // TILUS_C_ARTIFACT_H
