// The file format of compiled kernels: one or many artifacts, for one or many targets, in one checked file.
//
//   offset  bytes
//        0  8    magic
//        8  4    format version
//       12  4    size of the header
//       16  32   key: what the contents stand for in a cache; zeros elsewhere
//       48  ...  header: JSON with all that is known of the artifacts, and size and hash of each payload
//           ...  payloads (cubin, PTX, IR), in the header's order, each plain or compressed with zstd
//           32   hash of everything before
// Numbers are little-endian, hashes are BLAKE3. Nothing in a file is executed or trusted before it is
// checked.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/Hash256.h"
#include "Tilus/Support/KernelArtifact.h"

#include "llvm/Support/Error.h"

namespace tilus {

/// Files of other versions are refused.
constexpr uint32_t artifactFormatVersion = 1;

/// Limits on what is read and written, which bound what a file can make a reader allocate.
struct ArtifactLimits {
  static constexpr uint64_t headerBytes = uint64_t(1) << 20;
  /// Of one payload, uncompressed.
  static constexpr uint64_t payloadBytes = uint64_t(256) << 20;
  /// Of a file, and of all its payloads uncompressed.
  static constexpr uint64_t fileBytes = uint64_t(1) << 30;
  /// Uncompressed over compressed bytes.
  static constexpr uint64_t ratio = 256;
};

/// The contents of a file.
struct ArtifactFile {
  Hash256 key;
  std::vector<KernelArtifact> artifacts;
};

enum class ArtifactCompression : uint8_t {
  None,
  /// Where zstd is there, and makes the payload smaller.
  Zstd
};

/// The file's bytes. The same contents give the same bytes. Fails where they exceed a limit, or hold text
/// that is not UTF-8.
llvm::Expected<std::string> serializeArtifacts(const ArtifactFile &file,
                                               ArtifactCompression compression = ArtifactCompression::Zstd);

/// Whether the bytes begin as a file does.
bool hasArtifactMagic(llvm::StringRef bytes);

/// The contents of a file's bytes, whatever they are: every fault is an error.
llvm::Expected<ArtifactFile> parseArtifacts(llvm::StringRef bytes);

/// Reads a file that the user named. Errors begin with the path.
llvm::Expected<ArtifactFile> readArtifactFile(llvm::StringRef path);

} // namespace tilus
