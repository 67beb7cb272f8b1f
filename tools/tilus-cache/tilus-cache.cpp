// The program tilus-cache.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Tools/CacheTool.h"

#include "llvm/ADT/SmallVector.h"

int main(int argc, char **argv) {
  llvm::SmallVector<llvm::StringRef> words(argv + 1, argv + argc);
  return tilus::runTilusCache(words, llvm::outs(), llvm::errs());
}
