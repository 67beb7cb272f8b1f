// Checking and loading of a kernel's binary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/LoadedKernel.h"

#include <array>

namespace tilus {

/// Blocks of a cluster that a launch may have without asking, and with.
static constexpr uint64_t portableClusterSize = 8;
static constexpr uint64_t largestClusterSize = 16;

static constexpr unsigned largestBlock = 1024;

/// The number of blocks of a cluster.
static uint64_t getClusterSize(const KernelArtifact &artifact) {
  uint64_t size = 1;
  for (unsigned extent : artifact.cluster)
    size = std::min<uint64_t>(size * extent, UINT32_MAX);
  return size;
}

static llvm::Error checkShape(const KernelArtifact &artifact) {
  if (artifact.blockThreads < 1 || artifact.blockThreads > largestBlock)
    return llvm::createStringError("expected 1 to " + llvm::Twine(largestBlock) +
                                   " threads a block for kernel '" + artifact.entry + "', but got " +
                                   llvm::Twine(artifact.blockThreads));
  uint64_t cluster = getClusterSize(artifact);
  if (cluster < 1 || cluster > largestClusterSize)
    return llvm::createStringError("expected 1 to " + llvm::Twine(largestClusterSize) +
                                   " blocks a cluster for kernel '" + artifact.entry + "', but got " +
                                   llvm::Twine(cluster));
  return llvm::Error::success();
}

/// Whether the device takes the binary. Devices and chips that the target table does not know are left to the
/// driver.
static llvm::Error checkTarget(const Device &device, const KernelArtifact &artifact) {
  const TargetInfo *chip = lookupTarget(artifact.chip), *own = device.getTarget();
  if (!chip || !own)
    return llvm::Error::success();
  bool isPtx = artifact.cubin.empty();
  if (isPtx ? own->supports(*chip) : chip->canRunOn(device.getCapability()))
    return llvm::Error::success();
  return llvm::createStringError("expected a binary that runs on " + device.describe() + " for kernel '" +
                                 artifact.entry + "', but got " + (isPtx ? "PTX" : "a cubin") + " for " +
                                 artifact.chip + "; compile it for " + own->chip);
}

llvm::Expected<std::unique_ptr<LoadedKernel>>
LoadedKernel::load(const Device &device, std::shared_ptr<const KernelArtifact> artifact) {
  if (llvm::Error error = checkShape(*artifact))
    return std::move(error);
  if (llvm::Error error = checkTarget(device, *artifact))
    return std::move(error);
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope)
    return scope.takeError();
  RelaxedCaptureScope relaxed(device.getDriver());
  std::unique_ptr<LoadedKernel> kernel(new LoadedKernel(device, std::move(artifact)));
  if (llvm::Error error = kernel->loadModule())
    return std::move(error);
  if (llvm::Error error = kernel->queryAttributes())
    return std::move(error);
  if (llvm::Error error = kernel->allowSharedMemory())
    return std::move(error);
  if (getClusterSize(kernel->getArtifact()) > portableClusterSize)
    if (llvm::Error error = kernel->setAttribute(cuda::functionNonPortableClusterAllowed, 1))
      return std::move(error);
  return std::move(kernel);
}

LoadedKernel::~LoadedKernel() {
  if (!module)
    return;
  llvm::Expected<ContextScope> scope = device.enter();
  if (!scope) {
    llvm::consumeError(scope.takeError());
    return;
  }
  // The driver waits for launches that are under way.
  RelaxedCaptureScope relaxed(device.getDriver());
  device.getDriver()->moduleUnload(module);
}

llvm::Error LoadedKernel::loadModule() {
  const void *image = artifact->cubin.empty() ? static_cast<const void *>(artifact->ptx.c_str())
                                              : static_cast<const void *>(artifact->cubin.data());
  if (artifact->cubin.empty() && artifact->ptx.empty())
    return llvm::createStringError("expected a cubin or PTX for kernel '" + artifact->entry +
                                   "', but got neither");
  std::array<char, 4096> log = {};
  std::array<cuda::JitOption, 2> options = {cuda::jitErrorLogBuffer, cuda::jitErrorLogBufferBytes};
  // The driver takes the number in the place of a pointer.
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  const CudaDriver &driver = device.getDriver();
  std::string what = "kernel '" + artifact->entry + "' (" + artifact->chip + ") on " + device.describe();
  cuda::Result code = driver->moduleLoadDataEx(&module, image, options.size(), options.data(), values.data());
  if (code != cuda::success) {
    llvm::StringRef words = llvm::StringRef(log.data()).trim();
    return driver.check(code, "cuModuleLoadDataEx",
                        words.empty() ? what : what + " with the log '" + words + "'");
  }
  return driver.check(driver->moduleGetFunction(&function, module, artifact->entry.c_str()),
                      "cuModuleGetFunction", what);
}

llvm::Error LoadedKernel::queryAttributes() {
  const std::pair<cuda::FunctionAttribute, int *> rows[] = {
      {cuda::functionRegisters, &registers},
      {cuda::functionLocalBytes, &localBytes},
      {cuda::functionSharedBytes, &staticSharedBytes},
  };
  const CudaDriver &driver = device.getDriver();
  for (auto [attribute, value] : rows)
    if (llvm::Error error =
            driver.check(driver->funcGetAttribute(value, attribute, function), "cuFuncGetAttribute",
                         "attribute " + llvm::Twine(int(attribute)) + " of kernel '" + artifact->entry + "'"))
      return error;
  return llvm::Error::success();
}

llvm::Error LoadedKernel::allowSharedMemory() {
  llvm::Expected<int> limit = device.getAttribute(cuda::maxSharedMemoryPerBlockOptin);
  if (!limit)
    return limit.takeError();
  uint64_t wanted = uint64_t(artifact->dynamicSharedBytes) + staticSharedBytes;
  if (wanted > uint64_t(*limit))
    return llvm::createStringError("expected at most " + llvm::Twine(*limit) +
                                   " bytes of shared memory a block for kernel '" + artifact->entry +
                                   "' on " + device.describe() + ", but got " + llvm::Twine(wanted));
  if (artifact->dynamicSharedBytes == 0)
    return llvm::Error::success();
  return setAttribute(cuda::functionMaxDynamicSharedBytes, artifact->dynamicSharedBytes);
}

llvm::Error LoadedKernel::setAttribute(cuda::FunctionAttribute attribute, int value) {
  const CudaDriver &driver = device.getDriver();
  return driver.check(driver->funcSetAttribute(function, attribute, value), "cuFuncSetAttribute",
                      "attribute " + llvm::Twine(int(attribute)) + " of kernel '" + artifact->entry + "'");
}

} // namespace tilus
