// The header of an artifact file: JSON to and from artifacts without their payloads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/Hash256.h"
#include "Tilus/Support/KernelArtifact.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

namespace tilus {

/// Where a payload's bytes lie and what they have to be.
struct PayloadInfo {
  /// Uncompressed, and in the file; 0 for a payload that is not there.
  uint64_t bytes = 0;
  uint64_t storedBytes = 0;
  bool isCompressed = false;
  /// Of the uncompressed bytes.
  Hash256 hash;
};

/// The kinds of payloads, in the file's order.
enum class PayloadKind : uint8_t { Cubin, PTX, IR };
constexpr size_t payloadKindCount = 3;

/// One artifact of a header. The payloads of `artifact` are empty.
struct ArtifactHeader {
  KernelArtifact artifact;
  std::array<PayloadInfo, payloadKindCount> payloads;
};

/// The JSON of an artifact. Fails on what readArtifactHeader() refuses, and on text that is not UTF-8.
llvm::Expected<llvm::json::Value> writeArtifactHeader(const KernelArtifact &artifact,
                                                      llvm::ArrayRef<PayloadInfo> payloads);
llvm::Expected<ArtifactHeader> readArtifactHeader(const llvm::json::Value &value);

/// A tensor map's part of the header, and back. Reading fails for one that the hardware would never take.
llvm::json::Value writeTensorMap(const KernelTensorMap &map);
llvm::Expected<KernelTensorMap> readTensorMap(const llvm::json::Value &value,
                                              llvm::ArrayRef<KernelParam> params);

} // namespace tilus
