// Arguments of MLIR's drivers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DriverArguments.h"

#include "Tilus/Support/Nesting.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace tilus;
using llvm::StringRef;

std::vector<char *> tilus::makeDriverArguments(int argc, char **argv) {
  static char shortDiagnostics[] = "--mlir-print-op-on-diagnostic=false";
  std::vector<char *> arguments(argv, argv + argc);
  auto isOwn = [](StringRef argument) {
    return argument.ltrim('-').starts_with("mlir-print-op-on-diagnostic");
  };
  if (llvm::none_of(arguments, isOwn))
    arguments.insert(arguments.begin() + 1, shortDiagnostics);
  return arguments;
}

/// Reports the file if it nests too deeply.
static bool checkFile(StringRef path) {
  if (!llvm::sys::fs::is_regular_file(path))
    return true;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return true; // the driver says why
  std::optional<size_t> offset = findDeepNesting((*file)->getBuffer());
  if (!offset)
    return true;
  auto place = llvm::SMLoc::getFromPointer((*file)->getBufferStart() + *offset);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  sources.PrintMessage(place, llvm::SourceMgr::DK_Error, describeDeepNesting());
  return false;
}

bool tilus::checkInputFiles(int argc, char **argv) {
  for (int index = 1; index < argc; ++index) {
    StringRef argument = argv[index];
    if (argument == "-o")
      ++index;
    else if (!argument.starts_with("-") && !checkFile(argument))
      return false;
  }
  return true;
}
