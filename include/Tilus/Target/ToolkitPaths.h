//===- ToolkitPaths.h - where the CUDA toolkit's files are looked for --------------------------*- C++
//-*-===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the search for the files of the CUDA toolkit. It reads no environment variables: whoever calls gives
// the folders that they name.
//
//===---------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <array>
#include <string>
#include <vector>

namespace tilus {

/// The files of the CUDA toolkit that the compiler uses.
enum class ToolkitFile : uint8_t { Libdevice, NvJitLink, Ptxas, Nvdisasm };

/// Where to look, in order of precedence.
struct ToolkitPaths {
  /// The file that the user named for each ToolkitFile (TILUS_LIBDEVICE and the like). Where there is one,
  /// no other place is looked in.
  std::array<std::string, 4> files;
  /// Files or folders named by the user.
  std::vector<std::string> paths;
  /// Roots of toolkits (CUDA_HOME, CUDA_PATH).
  std::vector<std::string> roots;
  /// Python site-packages folders, which hold the toolkit's wheels.
  std::vector<std::string> sitePackages;
  /// Whether to look in /usr/local/cuda too, and for libraries on the loader's own path.
  bool useDefaults = true;
};

/// The outcome of a search.
struct ToolkitSearch {
  /// The file found; empty if there is none.
  std::string path;
  /// The places looked in, in order; for the error message.
  std::vector<std::string> searched;
};

/// Looks for the file. The first place that has it wins.
ToolkitSearch findToolkitFile(ToolkitFile file, const ToolkitPaths &paths);

/// The name by which messages call the file: "libdevice.10.bc", "libnvJitLink.so", "ptxas".
llvm::StringRef getToolkitFileName(ToolkitFile file);

/// "expected to find ptxas, but it is in none of: /a, /b".
std::string describeMissing(ToolkitFile file, const ToolkitSearch &search);

} // namespace tilus
