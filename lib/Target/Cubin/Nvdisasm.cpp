// Disassembly by a process.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Target/Cubin/Cubin.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace llvm;

bool tilus::disassemble(const std::string &cubinFile, const std::string &sassFile,
                        const ToolkitPaths &toolkit) {
  std::string program = findToolkitFile(ToolkitFile::Nvdisasm, toolkit).path;
  if (program.empty())
    return false;
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(sassFile), StringRef("")};
  if (sys::ExecuteAndWait(program, {program, cubinFile}, std::nullopt, redirects) == 0)
    return true;
  sys::fs::remove(sassFile);
  return false;
}
