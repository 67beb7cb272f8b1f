//===- Ptxas.cpp - assembly by a process
//--------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the run of ptxas: its temporary folder, its arguments and its output.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Assemblers.h"

#include "Tilus/Support/WriteFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include <cstring>

using namespace llvm;
using namespace tilus;

namespace {
/// The files of one run, in a folder of its own.
struct WorkFolder {
  SmallString<128> folder;
  std::string ptx;
  std::string cubin;
  std::string log;
};
} // namespace

static std::error_code create(WorkFolder &work) {
  if (std::error_code error = sys::fs::createUniqueDirectory("tilus", work.folder))
    return error;
  auto inFolder = [&](StringRef name) {
    SmallString<128> path = work.folder;
    sys::path::append(path, name);
    return path.str().str();
  };
  work.ptx = inFolder("kernel.ptx");
  work.cubin = inFolder("kernel.cubin");
  work.log = inFolder("kernel.log");
  return {};
}

static std::string readFile(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(path, /*IsText=*/false,
                                                                        /*RequiresNullTerminator=*/false);
  return buffer ? (*buffer)->getBuffer().str() : "";
}

static std::vector<std::string> getArguments(const AssemblyJob &job, const WorkFolder &work,
                                             StringRef program) {
  std::vector<std::string> arguments = {program.str(), "-arch=" + job.target->chip.str(), "-v",
                                        "-O" + std::to_string(job.options->optLevel)};
  if (job.options->lineInfo)
    arguments.push_back("-lineinfo");
  if (job.options->maxRegisters)
    arguments.insert(arguments.end(), {"-maxrregcount=" + std::to_string(job.options->maxRegisters),
                                       std::string("--override-directive-values")});
  if (job.minBlocks)
    arguments.push_back("--minnctapersm=" + std::to_string(job.minBlocks));
  arguments.insert(arguments.end(), {work.ptx, "-o", work.cubin});
  return arguments;
}

/// Whether an ELF image is there to its end, where the table of its sections lies.
static bool isWholeImage(StringRef bytes) {
  ELF::Elf64_Ehdr header;
  if (bytes.size() < sizeof(header) || !bytes.starts_with(StringRef(ELF::ElfMagic, 4)))
    return false;
  std::memcpy(&header, bytes.data(), sizeof(header));
  uint64_t sections = uint64_t(header.e_shnum) * header.e_shentsize;
  return header.e_shoff <= bytes.size() && sections <= bytes.size() - header.e_shoff;
}

/// The text with each `from` replaced by `to`.
static std::string replaceAll(StringRef text, StringRef from, StringRef to) {
  SmallVector<StringRef> pieces;
  text.split(pieces, from);
  return join(pieces, to);
}

static AssemblyResult run(const AssemblyJob &job, StringRef program, const WorkFolder &work) {
  AssemblyResult result;
  result.name = "ptxas (" + program.str() + ")";
  if (std::error_code error = writeFile(work.ptx, job.ptx)) {
    result.log = "cannot write " + work.ptx + ": " + error.message();
    return result;
  }
  std::vector<std::string> arguments = getArguments(job, work, program);
  SmallVector<StringRef> references(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {StringRef(""), StringRef(work.log), StringRef(work.log)};
  std::string reason;
  int code = sys::ExecuteAndWait(program, references, std::nullopt, redirects, /*SecondsToWait=*/0,
                                 /*MemoryLimit=*/0, &reason);
  result.log = replaceAll(StringRef(readFile(work.log)).rtrim(), work.ptx, "kernel.ptx");
  result.bytes = readFile(work.cubin);
  // Where the program ignores the ends of children nothing is told of them, but ptxas leaves no image when it
  // fails.
  bool isStatusUnknown = code == -1 && !reason.empty();
  if (code == 0 || (isStatusUnknown && isWholeImage(result.bytes)))
    return result;
  result.bytes.clear();
  // The one message by which ptxas says that it does not know the chip.
  result.isChipUnknown = StringRef(result.log).contains("is not defined for option 'gpu-name'");
  if (!reason.empty() || result.log.empty())
    result.log += (result.log.empty() ? "" : "\n") + ("ptxas ended with " + std::to_string(code)) +
                  (reason.empty() ? "" : ": " + reason);
  return result;
}

std::optional<AssemblyResult> tilus::assembleWithPtxas(const AssemblyJob &job, ToolkitSearch &search) {
  search = findToolkitFile(ToolkitFile::Ptxas, job.options->toolkit);
  if (search.path.empty())
    return std::nullopt;
  WorkFolder work;
  if (std::error_code error = create(work)) {
    AssemblyResult result;
    result.name = "ptxas (" + search.path + ")";
    SmallString<128> place;
    sys::path::system_temp_directory(/*erasedOnReboot=*/true, place);
    result.log = "cannot make a temporary folder in '" + place.str().str() +
                 "', which TMPDIR names: " + error.message();
    return result;
  }
  scope_exit clean([&] { sys::fs::remove_directories(work.folder); });
  return run(job, search.path, work);
}
