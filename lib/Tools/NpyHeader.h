// The header of a .npy file: a magic string, a version, and a Python dictionary as text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <string>

namespace tilus {

struct NpyHeader {
  /// The dtype as NumPy writes it, as in `<f4`.
  std::string descr;
  bool isFortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
};

/// Takes the header from the front of a file's content and leaves the data.
llvm::Expected<NpyHeader> consumeNpyHeader(llvm::StringRef &content);

/// The header as NumPy writes it, with the magic string and padded to a multiple of 64 bytes.
std::string printNpyHeader(const NpyHeader &header);

} // namespace tilus
