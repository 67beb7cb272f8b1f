// Random artifacts, and their comparison field by field.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/ArtifactFile.h"

#include <random>

namespace tilus {

/// Makes artifacts; the same seed makes the same ones.
class ArtifactGenerator {
public:
  explicit ArtifactGenerator(uint64_t seed) : random(seed) {}

  KernelArtifact makeArtifact();
  ArtifactFile makeFile(unsigned artifactCount);
  uint64_t makeNumber(uint64_t limit) { return random() % limit; }

private:
  std::string makeText(size_t maxLength);
  GridExpr makeExpr(unsigned paramCount);
  KernelTensorMap makeTensorMap(unsigned param, unsigned paramCount);

  std::mt19937_64 random;
};

/// Empty if both are the same, else the name of a field that differs.
std::string findDifference(const KernelArtifact &a, const KernelArtifact &b);
std::string findDifference(const ArtifactFile &a, const ArtifactFile &b);

} // namespace tilus
