// Hashing of all inputs of a compilation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Support/KernelKey.h"
#include "Tilus/Support/ArtifactFile.h"

namespace tilus {

Hash256 computeKernelKey(const KernelKeyInputs &inputs) {
  FieldHasher hasher;
  hasher.add("format", uint64_t(artifactFormatVersion))
      .add("convention", uint64_t(callingConvention))
      .add("ir", inputs.ir)
      .add("triple", inputs.triple)
      .add("chip", inputs.chip)
      .add("features", inputs.features)
      .add("pipeline", inputs.pipeline)
      .add("tilus", inputs.tilusBuild)
      .add("llvm", inputs.llvmVersion)
      .add("assembler", inputs.assembler)
      .add("assembler content", inputs.assemblerContent);
  for (const auto &[name, value] : inputs.options)
    hasher.add("option", name).add("value", value);
  for (const Hash256 &file : inputs.linkedFiles)
    hasher.add("linked file", file);
  return hasher.finish();
}

} // namespace tilus
