// A kernel as tilus-run calls it: through a dispatcher of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Tools/KernelInputs.h"
#include "Tilus/Tools/RunReport.h"

namespace tilus {

using SharedArtifact = std::shared_ptr<const KernelArtifact>;
/// Gives the artifact for a target.
using ArtifactFunction = std::function<llvm::Expected<SharedArtifact>(const TargetInfo &target)>;

class DispatchedKernel {
public:
  /// Calls are logged as TILUS_LOG says.
  static llvm::Expected<DispatchedKernel> create(llvm::StringRef name, std::vector<KernelParam> params,
                                                 ArtifactFunction compile);

  llvm::StringRef getName() const { return name; }
  llvm::ArrayRef<KernelParam> getParams() const { return params; }
  Dispatcher &getDispatcher() const { return *dispatcher; }
  KernelStats getStats() const { return {name, dispatcher->stats()}; }

  /// The artifact for the target, compiled unless it was before. What the arguments are does not matter.
  llvm::Expected<SharedArtifact> compile(const TargetInfo &target) const;

private:
  DispatchedKernel(llvm::StringRef name, std::vector<KernelParam> params)
      : name(name), params(std::move(params)) {}

  std::string name;
  std::vector<KernelParam> params;
  std::unique_ptr<Dispatcher> dispatcher;
};

/// The value of a scalar's bits, or of an address.
CallValue makeCallValue(const KernelParam &param, uint64_t code);

} // namespace tilus
