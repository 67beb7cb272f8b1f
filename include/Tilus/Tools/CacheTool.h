// The program tilus-cache, but for its main.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tilus {

/// Lists, shows, checks or removes what the disk cache holds; the exit code of the program. `words` are those
/// behind the program's name.
int runTilusCache(llvm::ArrayRef<llvm::StringRef> words, llvm::raw_ostream &out, llvm::raw_ostream &err);

} // namespace tilus
