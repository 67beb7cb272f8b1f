// The argument values of a launch, kept in the form that the driver takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/TensorMapCache.h"
#include "Tilus/Support/KernelArtifact.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <vector>

namespace tilus {

/// A value for each parameter of one kernel. Made once and written in place from launch to launch.
/// Each setter checks that the parameter exists, that its kind and type take the value, and that the value
/// has the divisibility on which the code relies; the errors name the kernel and the parameter.
class LaunchArguments {
public:
  explicit LaunchArguments(std::shared_ptr<const KernelArtifact> artifact);

  /// Sets a pointer parameter to an address.
  llvm::Error setPointer(unsigned index, uint64_t address);
  /// Sets an integer or bool parameter, which must be able to hold the value; a type without signedness takes
  /// both the signed and the unsigned range. Sets a float parameter to the nearest value.
  llvm::Error setInteger(unsigned index, int64_t value);
  /// Sets a float parameter to the nearest value.
  llvm::Error setFloat(unsigned index, double value);
  /// Sets a scalar parameter to a bit pattern of its type.
  llvm::Error setCode(unsigned index, uint64_t code);

  /// Sets the address of a workspace, which must be aligned to 16 bytes.
  llvm::Error setWorkspace(unsigned index, uint64_t address);

  /// Makes the descriptors of the kernel's tensor maps for the arguments as they are; with a context current.
  llvm::Error encodeTensorMaps(const CudaDriver &driver);

  /// Fails if a parameter or a workspace has never been set.
  llvm::Error checkComplete() const;

  const KernelArtifact &getArtifact() const { return *artifact; }
  const std::shared_ptr<const KernelArtifact> &getSharedArtifact() const { return artifact; }
  /// The values for the grid expressions: integers extended to 64 bits; 0 for all else.
  llvm::ArrayRef<int64_t> getGridValues() const { return gridValues; }
  /// One address of a value for each parameter, each workspace and each tensor map, as the driver wants them.
  void **getPointers() { return pointers.data(); }

private:
  llvm::Expected<const KernelParam *> getParam(unsigned index, KernelParam::Kind kind) const;
  llvm::Error describe(unsigned index, const llvm::Twine &rule, const llvm::Twine &actual) const;
  void store(unsigned index, uint64_t code, int64_t gridValue);

  std::shared_ptr<const KernelArtifact> artifact;
  /// A slot of 8 bytes for each parameter, then for each workspace; the value is in its first bytes.
  std::vector<uint64_t> slots;
  std::vector<void *> pointers;
  std::vector<int64_t> gridValues;
  std::vector<bool> isSet;
  /// One for each tensor map.
  std::vector<TensorMapCache> tensorMaps;
};

} // namespace tilus
