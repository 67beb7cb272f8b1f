//===- Cubin.cpp - from PTX to a cubin
//------------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the choice of the assembler, the wording of its failures, and the check of what it gave.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/Cubin/Cubin.h"

#include "Assemblers.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace tilus;

static Error fail(const Twine &message) { return createStringError(message); }

/// The log without the lines that differ from run to run.
static std::string cleanLog(StringRef log) {
  SmallVector<StringRef> lines;
  for (StringRef line : split(log, '\n'))
    if (!line.contains("Compile time ="))
      lines.push_back(line.rtrim());
  return join(lines, "\n");
}

/// nvJitLink compiles for separate compilation, in which setmaxnreg is ignored (the assembler's remark
/// C7504): a kernel that moves registers between its warps would run without them.
static bool isSpoiltBySeparateCompilation(StringRef ptx) { return ptx.contains("setmaxnreg"); }

/// The assemblers to try, in order.
static SmallVector<Assembler> getOrder(const AssemblyJob &job) {
  if (job.options->assembler != Assembler::Auto)
    return {job.options->assembler};
  if (isSpoiltBySeparateCompilation(job.ptx))
    return {Assembler::Ptxas, Assembler::NvJitLink};
  return {Assembler::NvJitLink, Assembler::Ptxas};
}

/// Runs the first assembler that is found; fails if none is.
static Expected<AssemblyResult> run(const AssemblyJob &job, Assembler &used) {
  std::string missing;
  for (Assembler assembler : getOrder(job)) {
    bool isPtxas = assembler == Assembler::Ptxas;
    ToolkitSearch search;
    std::optional<AssemblyResult> result =
        isPtxas ? assembleWithPtxas(job, search) : assembleWithNvJitLink(job, search);
    used = assembler;
    if (result)
      return std::move(*result);
    ToolkitFile file = isPtxas ? ToolkitFile::Ptxas : ToolkitFile::NvJitLink;
    missing += missing.empty() ? "" : "; and ";
    missing +=
        !isPtxas && isNvJitLinkLost()
            ? "expected to use libnvJitLink.so, but this process was forked while a thread was in it; use "
              "ptxas, or start the process anew"
            : describeMissing(file, search);
    // One that is named is meant: another in its place would be a surprise.
    if (!job.options->toolkit.files[static_cast<size_t>(file)].empty())
      break;
  }
  return fail(missing);
}

std::vector<std::string> tilus::findAssemblerFiles(const CubinOptions &options) {
  std::vector<std::string> files;
  if (options.assembler != Assembler::Ptxas)
    files.push_back(findNvJitLink(options.toolkit));
  if (options.assembler != Assembler::NvJitLink)
    files.push_back(findToolkitFile(ToolkitFile::Ptxas, options.toolkit).path);
  llvm::erase_if(files, [](const std::string &file) { return file.empty(); });
  return files;
}

static Error checkOptions(StringRef chip, const TargetInfo *target, const CubinOptions &options) {
  if (!target)
    return fail(describeUnknownTarget(chip));
  if (options.optLevel < 0 || options.optLevel > 3)
    return fail("expected an optimization level from 0 to 3, but got " + Twine(options.optLevel));
  if (options.maxRegisters < 0 || options.maxRegisters > target->maxRegistersPerThread)
    return fail("expected at most " + Twine(target->maxRegistersPerThread) + " registers, but got " +
                Twine(options.maxRegisters));
  return Error::success();
}

/// An assembler that gives code for another chip than it was asked for would be found out at launch only.
static Error checkCapability(const Cubin &cubin, const TargetInfo &target) {
  Expected<ComputeCapability> found = readCubinCapability(cubin.bytes);
  if (!found)
    return found.takeError();
  if (*found == target.capability)
    return Error::success();
  return fail("expected a cubin for " + target.chip + ", but got one for capability " + found->str());
}

Expected<Cubin> tilus::assemble(StringRef ptx, StringRef chip, const CubinOptions &options) {
  const TargetInfo *target = lookupTarget(chip);
  if (Error error = checkOptions(chip, target, options))
    return std::move(error);

  Cubin cubin;
  Expected<AssemblyResult> result = run(AssemblyJob{ptx, target, &options}, cubin.assembler);
  if (!result)
    return result.takeError();
  if (result->isChipUnknown)
    return fail("expected an assembler that knows " + target->chip + ", but " + result->name +
                " does not; emit PTX alone, without a cubin, for it");
  cubin.log = cleanLog(result->log);
  if (result->bytes.empty())
    return fail("expected PTX that assembles for " + target->chip + ", but " + result->name + " says:\n" +
                cubin.log);

  cubin.bytes = std::move(result->bytes);
  cubin.kernels = parseResources(cubin.log);
  if (Error error = checkCapability(cubin, *target))
    return std::move(error);
  return cubin;
}
