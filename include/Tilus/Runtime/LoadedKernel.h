// A kernel whose binary is loaded on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"
#include "Tilus/Support/KernelArtifact.h"

#include <memory>

namespace tilus {

/// A loaded module and its function, ready to launch. Threads may share it.
class LoadedKernel {
public:
  /// Loads the artifact's cubin, or its PTX if there is no cubin. Checks first, without the driver, that the
  /// device can run the binary and that the block, the cluster and the shared memory are within the device's
  /// limits.
  static llvm::Expected<std::unique_ptr<LoadedKernel>> load(const Device &device,
                                                            std::shared_ptr<const KernelArtifact> artifact);
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel &) = delete;
  LoadedKernel &operator=(const LoadedKernel &) = delete;

  const Device &getDevice() const { return device; }
  const KernelArtifact &getArtifact() const { return *artifact; }
  std::shared_ptr<const KernelArtifact> getSharedArtifact() const { return artifact; }
  cuda::FunctionHandle getFunction() const { return function; }

  /// Registers a thread, local memory a thread in bytes (spills are in it) and static shared memory in bytes,
  /// as the driver reports them.
  int getRegisters() const { return registers; }
  int getLocalBytes() const { return localBytes; }
  int getStaticSharedBytes() const { return staticSharedBytes; }

private:
  LoadedKernel(const Device &device, std::shared_ptr<const KernelArtifact> artifact)
      : device(device), artifact(std::move(artifact)) {}
  llvm::Error loadModule();
  llvm::Error queryAttributes();
  llvm::Error allowSharedMemory();
  llvm::Error setAttribute(cuda::FunctionAttribute attribute, int value);

  const Device &device;
  std::shared_ptr<const KernelArtifact> artifact;
  cuda::ModuleHandle module = nullptr;
  cuda::FunctionHandle function = nullptr;
  int registers = 0;
  int localBytes = 0;
  int staticSharedBytes = 0;
};

} // namespace tilus
