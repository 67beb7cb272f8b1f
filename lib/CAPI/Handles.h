// The objects behind the handles of the C API, and what its functions share: errors, sized structs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus-c/Runtime.h"
#include "Tilus/Runtime/ArtifactChoice.h"
#include "Tilus/Runtime/ForkGuard.h"
#include "Tilus/Runtime/Launcher.h"
#include "Tilus/Support/DiagnosticError.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

struct TilusError {
  std::string message;
  int driverCode = 0;
  std::vector<tilus::DiagnosticRecord> diagnostics = {};
};

struct TilusBlob {
  std::string bytes;
};

struct TilusArtifact {
  explicit TilusArtifact(std::shared_ptr<const tilus::KernelArtifact> artifact);

  std::shared_ptr<const tilus::KernelArtifact> artifact;
  /// The target, if it is in the table.
  const tilus::Target *target = nullptr;
  /// The type of each parameter, by name.
  std::vector<std::string> typeNames;
};

struct TilusArtifactFile {
  tilus::ArtifactList artifacts;
};

namespace tilus::capi {

/// An opened device and what it needs; all that is made on it holds it.
struct OpenDevice {
  std::shared_ptr<const CudaDriver> driver;
  std::unique_ptr<Device> device;
};

} // namespace tilus::capi

struct TilusDriver {
  /// The device of the number, the one that is open already if there is one: what dispatchers and modules
  /// know a device by is the object, and a device that is opened again is no other one.
  llvm::Expected<std::shared_ptr<const tilus::capi::OpenDevice>> open(unsigned ordinal) const;

  std::shared_ptr<const tilus::CudaDriver> driver;
  mutable tilus::ForkSafeMutex mutex = {};
  mutable std::map<unsigned, std::weak_ptr<const tilus::capi::OpenDevice>> devices = {};
};

namespace tilus::capi {

/// Null for success.
TilusError *makeFailure(llvm::Error error);
inline TilusError *wrapError(llvm::Error error) {
  return LLVM_LIKELY(!error) ? nullptr : makeFailure(std::move(error));
}
/// "expected <rule>, but got <actual>".
TilusError *makeError(const llvm::Twine &rule, const llvm::Twine &actual);
inline TilusError *makeNullError(llvm::StringRef rule) { return makeError(rule, "null"); }

/// The error for an index past the end of `count` things.
TilusError *makeIndexError(llvm::StringRef what, size_t count, size_t index);

/// Takes over the error of a callback.
llvm::Error takeError(TilusError *error);

inline const TilusTarget *wrapTarget(const Target *target) {
  return reinterpret_cast<const TilusTarget *>(target);
}
inline const Target *unwrap(const TilusTarget *target) { return reinterpret_cast<const Target *>(target); }

inline TilusBytes makeBytes(llvm::StringRef text) { return {text.data(), text.size()}; }
inline llvm::StringRef makeText(const void *data, size_t size) {
  return llvm::StringRef(static_cast<const char *>(data), size);
}

/// The artifacts of the bytes of a file.
llvm::Expected<ArtifactList> parseFile(llvm::StringRef bytes);
/// Those of the kernel (of any if `entry` is null) for the target; at least one.
llvm::Expected<ArtifactList> findArtifacts(const ArtifactList &artifacts, const char *entry,
                                           const Target &target);

/// What is known of a parameter; the strings stay where they are.
TilusParamInfo makeParamInfo(const KernelParam &param, const std::string &typeName);

/// Null if the size at the start of a struct that the caller filled is one that this version knows.
template <typename T> TilusError *checkInput(const T *data, llvm::StringRef name) {
  if (!data)
    return makeNullError(("a " + name).str());
  if (LLVM_LIKELY(data->size == sizeof(T)))
    return nullptr;
  return makeError("a " + name + " of " + llvm::Twine(sizeof(T)) + " bytes, as its field 'size' says",
                   llvm::Twine(data->size));
}

/// The same for a struct that has grown since its first version, which had `firstSize` bytes. What was added
/// since the caller's version is zero in the copy.
template <typename T> TilusError *readInput(const T *data, llvm::StringRef name, size_t firstSize, T &copy) {
  if (!data)
    return makeNullError(("a " + name).str());
  if (data->size < firstSize || data->size > sizeof(T))
    return makeError("a " + name + " of " + llvm::Twine(firstSize) + " to " + llvm::Twine(sizeof(T)) +
                         " bytes, as its field 'size' says",
                     llvm::Twine(data->size));
  copy = {};
  std::memcpy(static_cast<void *>(&copy), data, data->size);
  return nullptr;
}

/// Copies to the caller's struct what it has room for; its size says how much.
template <typename T> TilusError *writeOutput(const T &data, T *result, llvm::StringRef name) {
  if (!result)
    return makeNullError(("a " + name).str());
  if (result->size < sizeof(T))
    return makeError("a " + name + " of at least " + llvm::Twine(sizeof(T)) +
                         " bytes, as its field 'size' says",
                     llvm::Twine(result->size));
  std::memcpy(static_cast<void *>(result), &data, sizeof(T));
  result->size = sizeof(T);
  return nullptr;
}

} // namespace tilus::capi

struct TilusDevice {
  std::shared_ptr<const tilus::capi::OpenDevice> open;
};
