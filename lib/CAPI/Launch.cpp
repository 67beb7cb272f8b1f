// Loading and launching of single kernels through the C API.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Handles.h"

using namespace tilus;
using namespace tilus::capi;

struct TilusKernel {
  std::shared_ptr<const OpenDevice> open;
  std::unique_ptr<LoadedKernel> kernel;
};

struct TilusArguments {
  LaunchArguments arguments;
};

TilusError *tilusKernelLoad(const TilusDevice *device, const TilusArtifact *artifact, TilusKernel **result) {
  if (!result)
    return makeNullError("a place for the kernel");
  *result = nullptr;
  if (!device || !artifact)
    return makeNullError(device ? "an artifact" : "a device");
  llvm::Expected<std::unique_ptr<LoadedKernel>> kernel =
      LoadedKernel::load(*device->open->device, artifact->artifact);
  if (!kernel)
    return wrapError(kernel.takeError());
  *result = new TilusKernel{device->open, std::move(*kernel)};
  return nullptr;
}

void tilusKernelDestroy(TilusKernel *kernel) { delete kernel; }

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

static TilusError *makeNoArgumentsError() { return makeNullError("arguments of a kernel"); }

TilusError *tilusArgumentsCreate(const TilusKernel *kernel, TilusArguments **result) {
  if (!result)
    return makeNullError("a place for the arguments");
  *result = nullptr;
  if (!kernel)
    return makeNullError("a kernel");
  *result = new TilusArguments{LaunchArguments(kernel->kernel->getSharedArtifact())};
  return nullptr;
}

TilusError *tilusArgumentsSetPointer(TilusArguments *arguments, unsigned index, uint64_t address) {
  return arguments ? wrapError(arguments->arguments.setPointer(index, address)) : makeNoArgumentsError();
}

TilusError *tilusArgumentsSetInteger(TilusArguments *arguments, unsigned index, int64_t value) {
  return arguments ? wrapError(arguments->arguments.setInteger(index, value)) : makeNoArgumentsError();
}

TilusError *tilusArgumentsSetFloat(TilusArguments *arguments, unsigned index, double value) {
  return arguments ? wrapError(arguments->arguments.setFloat(index, value)) : makeNoArgumentsError();
}

TilusError *tilusArgumentsSetCode(TilusArguments *arguments, unsigned index, uint64_t code) {
  return arguments ? wrapError(arguments->arguments.setCode(index, code)) : makeNoArgumentsError();
}

TilusError *tilusArgumentsGetWorkspace(const TilusArguments *arguments, unsigned index, uint64_t *bytes,
                                       bool *isClean) {
  if (!arguments)
    return makeNoArgumentsError();
  const std::vector<KernelWorkspace> &workspaces = arguments->arguments.getArtifact().workspaces;
  if (index >= workspaces.size())
    return makeIndexError("workspaces", workspaces.size(), index);
  llvm::Expected<int64_t> needed = workspaces[index].bytes.evaluate(arguments->arguments.getGridValues());
  if (!needed)
    return wrapError(needed.takeError());
  if (*needed < 0)
    return makeError("a size of workspace " + llvm::Twine(index) + " that is not negative",
                     llvm::Twine(*needed));
  if (bytes)
    *bytes = static_cast<uint64_t>(*needed);
  if (isClean)
    *isClean = workspaces[index].isClean;
  return nullptr;
}

TilusError *tilusArgumentsSetWorkspace(TilusArguments *arguments, unsigned index, uint64_t address) {
  return arguments ? wrapError(arguments->arguments.setWorkspace(index, address)) : makeNoArgumentsError();
}

TilusError *tilusArgumentsGetGrid(const TilusArguments *arguments, unsigned blocks[3]) {
  if (!arguments || !blocks)
    return arguments ? makeNullError("a place for the grid") : makeNoArgumentsError();
  llvm::Expected<GridSize> grid = computeGrid(arguments->arguments);
  if (!grid)
    return wrapError(grid.takeError());
  for (unsigned axis = 0; axis < 3; ++axis)
    blocks[axis] = grid->blocks[axis];
  return nullptr;
}

void tilusArgumentsDestroy(TilusArguments *arguments) { delete arguments; }

TilusError *tilusKernelLaunch(const TilusKernel *kernel, TilusArguments *arguments, void *stream) {
  if (!kernel || !arguments)
    return kernel ? makeNoArgumentsError() : makeNullError("a kernel");
  return wrapError(launch(*kernel->kernel, arguments->arguments, static_cast<cuda::StreamHandle>(stream)));
}
