// The choice between the artifacts of one kernel that a file holds for several targets.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/Device.h"
#include "Tilus/Support/KernelArtifact.h"

#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace tilus {

/// Artifacts as files hold them, in any order.
using ArtifactList = std::vector<std::shared_ptr<const KernelArtifact>>;

/// The most specific of the kernel's artifacts that the device runs: one for an exact chip ('a') before one
/// for a family ('f') before one for a base chip, and a later chip before an earlier one. Fails, with the
/// device and the targets that there are, if it runs none. Those that the target table does not know do not
/// count.
llvm::Expected<std::shared_ptr<const KernelArtifact>>
chooseArtifact(llvm::ArrayRef<std::shared_ptr<const KernelArtifact>> artifacts, llvm::StringRef kernel,
               const Device &device);

} // namespace tilus
