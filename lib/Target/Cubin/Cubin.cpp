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

/// Runs the assembler that was asked for; fails if it is not found.
static Expected<AssemblyResult> run(const AssemblyJob &job, Assembler &used) {
  Assembler wanted = job.options->assembler;
  ToolkitSearch nvJitLink, ptxas;
  std::optional<AssemblyResult> result;
  if (wanted != Assembler::Ptxas) {
    used = Assembler::NvJitLink;
    result = assembleWithNvJitLink(job, nvJitLink);
  }
  if (!result && wanted != Assembler::NvJitLink) {
    used = Assembler::Ptxas;
    result = assembleWithPtxas(job, ptxas);
  }
  if (result)
    return std::move(*result);
  if (wanted == Assembler::NvJitLink)
    return fail(describeMissing(ToolkitFile::NvJitLink, nvJitLink));
  if (wanted == Assembler::Ptxas)
    return fail(describeMissing(ToolkitFile::Ptxas, ptxas));
  return fail(describeMissing(ToolkitFile::NvJitLink, nvJitLink) + "; and " +
              describeMissing(ToolkitFile::Ptxas, ptxas));
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
                " does not; PTX can still be emitted");
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
