// The choice of an artifact for a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ArtifactChoice.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

namespace tilus {

/// As LoadedKernel checks it: a cubin is bound to its kind of device, PTX is compiled for it.
static bool runsOn(const KernelArtifact &artifact, const TargetInfo &target, const Device &device) {
  if (!artifact.cubin.empty())
    return target.canRunOn(device.getCapability());
  return device.getTarget() && device.getTarget()->supports(target);
}

static bool isMoreSpecific(const TargetInfo &target, const TargetInfo &other) {
  return target.suffix != other.suffix ? target.suffix > other.suffix : target.supports(other);
}

llvm::Expected<std::shared_ptr<const KernelArtifact>>
chooseArtifact(llvm::ArrayRef<std::shared_ptr<const KernelArtifact>> artifacts, llvm::StringRef kernel,
               const Device &device) {
  std::shared_ptr<const KernelArtifact> best;
  const TargetInfo *bestTarget = nullptr;
  llvm::SmallVector<llvm::StringRef> chips;
  llvm::SetVector<llvm::StringRef> entries;
  for (const std::shared_ptr<const KernelArtifact> &artifact : artifacts) {
    entries.insert(artifact->entry);
    if (artifact->entry != kernel)
      continue;
    chips.push_back(artifact->chip);
    const TargetInfo *target = lookupTarget(artifact->chip);
    if (!target || !runsOn(*artifact, *target, device) ||
        (bestTarget && !isMoreSpecific(*target, *bestTarget)))
      continue;
    best = artifact;
    bestTarget = target;
  }
  if (best)
    return best;
  if (chips.empty())
    return llvm::createStringError("expected a file with a kernel '" + kernel + "', but got one with " +
                                   (entries.empty() ? "none" : llvm::join(entries, ", ")));
  const TargetInfo *own = device.getTarget();
  return llvm::createStringError("expected a binary that runs on " + device.describe() + " for kernel '" +
                                 kernel + "', but got " + "those for " + llvm::join(chips, ", ") +
                                 (own ? "; compile it for " + own->chip.str() : std::string()));
}

} // namespace tilus
