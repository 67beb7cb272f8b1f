//===- Cubin.cpp - from PTX to a cubin
//------------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the choice of the assembler, the wording of its failures, and the check of what it gave.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/Cubin/Cubin.h"

#include "Assemblers.h"
#include "Occupancy.h"
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

static void take(AssemblyResult result, Cubin &cubin) {
  cubin.log = cleanLog(result.log);
  cubin.bytes = std::move(result.bytes);
  cubin.kernels = parseResources(cubin.log);
}

/// Whether the second has hardly more code than the first, and spills hardly more registers.
static bool isAsShort(const Cubin &first, const Cubin &second) {
  constexpr int64_t kFewBytes = 32, kMostPercent = 110;
  return second.kernels.front().spillStoreBytes <= first.kernels.front().spillStoreBytes + kFewBytes &&
         second.bytes.size() * 100 <= first.bytes.size() * kMostPercent;
}

/// Blocks hide each other's waits. nvJitLink, which compiles for linking, and at times ptxas take more
/// registers than a kernel needs: it is assembled again for one block more a multiprocessor, as long as that
/// costs hardly any code.
static void raiseOccupancy(AssemblyJob job, Cubin &cubin) {
  constexpr int64_t kEnoughWarps = 32, kLeastPercentOfRegisters = 65, kMostRegisters = 192;
  std::optional<int64_t> threads = readBlockThreads(job.ptx);
  if (!threads || cubin.kernels.size() != 1 || job.options->optLevel < 3 || job.options->maxRegisters)
    return;
  const Cubin first = cubin;
  const int64_t registers = first.kernels.front().registers;
  if (registers > kMostRegisters)
    return;
  BlockShape block{*threads, first.kernels.front().sharedBytes + job.options->dynamicSharedBytes};
  for (job.minBlocks = countResidentBlocks(*job.target, block, registers) + 1;; ++job.minBlocks) {
    if (job.minBlocks * *threads > kEnoughWarps * job.target->warpSize ||
        getRegisterLimit(*job.target, block, job.minBlocks) * 100 <
            std::max<int64_t>(registers, 1) * kLeastPercentOfRegisters)
      return;
    Cubin other;
    Expected<AssemblyResult> result = run(job, other.assembler);
    if (!result)
      return consumeError(result.takeError());
    take(std::move(*result), other);
    if (other.bytes.empty() || other.kernels.size() != 1 || !isAsShort(first, other))
      return;
    cubin = std::move(other);
    // Fewer registers than were asked for may let in several blocks more.
    job.minBlocks =
        std::max(job.minBlocks, countResidentBlocks(*job.target, block, cubin.kernels.front().registers));
  }
}

Expected<Cubin> tilus::assemble(StringRef ptx, StringRef chip, const CubinOptions &options) {
  const TargetInfo *target = lookupTarget(chip);
  if (Error error = checkOptions(chip, target, options))
    return std::move(error);

  AssemblyJob job{ptx, target, &options};
  Cubin cubin;
  Expected<AssemblyResult> result = run(job, cubin.assembler);
  if (!result)
    return result.takeError();
  if (result->isChipUnknown)
    return fail("expected an assembler that knows " + target->chip + ", but " + result->name +
                " does not; emit PTX alone, without a cubin, for it");
  if (result->bytes.empty())
    return fail("expected PTX that assembles for " + target->chip + ", but " + result->name + " says:\n" +
                cleanLog(result->log));

  take(std::move(*result), cubin);
  raiseOccupancy(job, cubin);
  if (Error error = checkCapability(cubin, *target))
    return std::move(error);
  return cubin;
}
