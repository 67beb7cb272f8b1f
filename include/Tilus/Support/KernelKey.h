// The key of a compiled kernel: a hash of all that its bytes depend on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Support/Hash256.h"

#include <utility>
#include <vector>

namespace tilus {

/// All that goes into a compilation. What is not in here must not change the result.
struct KernelKeyInputs {
  /// The text of the module, with everything that the kernel was specialised for.
  std::string ir;
  std::string triple;
  std::string chip;
  std::string features;
  /// The options that change the result, as name and value, in an order that is always the same.
  std::vector<std::pair<std::string, std::string>> options;
  /// The passes, as a textual pipeline.
  std::string pipeline;
  /// The build of the compiler, and the version of the LLVM that it uses.
  std::string tilusBuild;
  std::string llvmVersion;
  /// The assembler's name and version, and the hash of the file that it is.
  std::string assembler;
  Hash256 assemblerContent;
  /// Files that are linked in, such as libdevice, in order.
  std::vector<Hash256> linkedFiles;
};

/// The key. Covers the calling convention and the version of the file format too.
Hash256 computeKernelKey(const KernelKeyInputs &inputs);

} // namespace tilus
