// Launching of a loaded kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/LaunchArguments.h"
#include "Tilus/Runtime/LoadedKernel.h"

#include <array>

namespace tilus {

/// The number of blocks in x, y, z.
struct GridSize {
  std::array<unsigned, 3> blocks = {1, 1, 1};

  bool isEmpty() const { return blocks[0] == 0 || blocks[1] == 0 || blocks[2] == 0; }
};

/// Evaluates the kernel's grid and checks it against the limits of the hardware (2^31 - 1 blocks in x, 65535
/// in y and z) and against the cluster, which must divide it. An empty grid is no error.
llvm::Expected<GridSize> computeGrid(const LaunchArguments &arguments);
/// One axis of it, 0 to 2, from the values of all parameters as LaunchArguments::getGridValues() has them.
llvm::Expected<unsigned> computeGridAxis(const KernelArtifact &artifact, llvm::ArrayRef<int64_t> gridValues,
                                         unsigned axis);

/// Launches the kernel on the stream and returns without waiting for it; with an empty grid nothing is
/// launched and it succeeds. The arguments must have been made for the kernel's artifact.
llvm::Error launch(const LoadedKernel &kernel, LaunchArguments &arguments,
                   cuda::StreamHandle stream = nullptr);

} // namespace tilus
