// Launching: from argument values to the driver's launch call.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Launcher.h"

namespace tilus {

namespace {
struct GridAxis {
  llvm::StringLiteral name;
  int64_t limit;
};
} // namespace

/// CUDA C++ Programming Guide, section "Compute Capabilities": the same for all devices from 3.0 on.
static constexpr GridAxis axes[3] = {{"x", 2147483647}, {"y", 65535}, {"z", 65535}};

llvm::Expected<unsigned> computeGridAxis(const KernelArtifact &artifact, llvm::ArrayRef<int64_t> gridValues,
                                         unsigned axis) {
  llvm::Expected<int64_t> blocks = artifact.grid[axis].evaluate(gridValues);
  if (!blocks)
    return llvm::createStringError("kernel '" + artifact.entry + "', grid size " + axes[axis].name + ": " +
                                   llvm::toString(blocks.takeError()));
  if (*blocks < 0 || *blocks > axes[axis].limit)
    return llvm::createStringError("expected a grid size " + axes[axis].name + " from 0 to " +
                                   llvm::Twine(axes[axis].limit) + " for kernel '" + artifact.entry +
                                   "', but got " + llvm::Twine(*blocks));
  if (artifact.cluster[axis] > 1 && *blocks % artifact.cluster[axis] != 0)
    return llvm::createStringError("expected a grid size " + axes[axis].name + " that is a multiple of " +
                                   llvm::Twine(artifact.cluster[axis]) + ", the cluster size, for kernel '" +
                                   artifact.entry + "', but got " + llvm::Twine(*blocks));
  return static_cast<unsigned>(*blocks);
}

llvm::Expected<GridSize> computeGrid(const LaunchArguments &arguments) {
  GridSize grid;
  for (unsigned axis = 0; axis < 3; ++axis) {
    llvm::Expected<unsigned> blocks =
        computeGridAxis(arguments.getArtifact(), arguments.getGridValues(), axis);
    if (!blocks)
      return blocks.takeError();
    grid.blocks[axis] = *blocks;
  }
  return grid;
}

llvm::Error launch(const LoadedKernel &kernel, LaunchArguments &arguments, cuda::StreamHandle stream) {
  const KernelArtifact &artifact = kernel.getArtifact();
  if (&artifact != &arguments.getArtifact())
    return llvm::createStringError("expected arguments made for the loaded kernel '" + artifact.entry +
                                   "', but got arguments of kernel '" + arguments.getArtifact().entry + "'");
  if (llvm::Error error = arguments.checkComplete())
    return error;
  llvm::Expected<GridSize> grid = computeGrid(arguments);
  if (!grid)
    return grid.takeError();
  if (grid->isEmpty())
    return llvm::Error::success();

  cuda::LaunchAttribute cluster = {cuda::launchClusterDimension, {}};
  for (unsigned axis = 0; axis < 3; ++axis)
    cluster.value.clusterDimension[axis] = artifact.cluster[axis];
  const auto &blocks = grid->blocks;
  cuda::LaunchConfig config = {{blocks[0], blocks[1], blocks[2]},
                               {artifact.blockThreads, 1, 1},
                               artifact.dynamicSharedBytes,
                               stream,
                               &cluster,
                               artifact.hasCluster() ? 1u : 0u};
  llvm::Expected<ContextScope> scope = kernel.getDevice().enter();
  if (!scope)
    return scope.takeError();
  const CudaDriver &driver = kernel.getDevice().getDriver();
  if (llvm::Error error = arguments.encodeTensorMaps(driver))
    return error;
  cuda::Result code = driver->launchKernelEx(&config, kernel.getFunction(), arguments.getPointers(), nullptr);
  // The words are made for an error alone.
  if (LLVM_LIKELY(code == cuda::success))
    return llvm::Error::success();
  return driver.check(code, "cuLaunchKernelEx",
                      "kernel '" + artifact.entry + "' on " + kernel.getDevice().describe());
}

} // namespace tilus
