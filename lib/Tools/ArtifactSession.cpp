// What tilus-run does with an artifact file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ArtifactSession.h"

#include "llvm/ADT/StringExtras.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error fail(const Twine &message) { return llvm::createStringError(message); }

ArtifactSession::ArtifactSession(const RunOptions &options, ArtifactFile file) : options(options) {
  for (KernelArtifact &artifact : file.artifacts)
    artifacts.push_back(std::make_shared<const KernelArtifact>(std::move(artifact)));
}

/// What needs the kernel's text is refused: the file holds what was made of it.
Error ArtifactSession::checkOptions() {
  std::vector<std::string> refused = options.compileFlags;
  if (options.checkHazards)
    refused.push_back("--check-hazards");
  if (options.emitsKind(EmitKind::LLVM))
    refused.push_back("--emit llvm");
  if (options.emitsKind(EmitKind::Stages))
    refused.push_back("--emit stages");
  if (!refused.empty())
    return fail("expected a file of MLIR for '" + refused.front() + "', but '" + options.inputFile +
                "' holds compiled kernels");
  if (options.device == DeviceChoice::Cpu)
    return fail("expected a file of MLIR for '--device cpu', which runs the text of a kernel, but '" +
                options.inputFile + "' holds compiled kernels");
  return Error::success();
}

static std::vector<std::string> collectNames(const ArtifactList &artifacts) {
  std::vector<std::string> names;
  for (const SharedArtifact &artifact : artifacts)
    if (!llvm::is_contained(names, artifact->entry))
      names.push_back(artifact->entry);
  return names;
}

Error ArtifactSession::selectArtifacts() {
  if (artifacts.empty())
    return fail("expected a file with kernels, but '" + options.inputFile + "' has none");
  std::vector<std::string> all = collectNames(artifacts);
  if (!options.kernel.empty() && !llvm::is_contained(all, options.kernel))
    return fail("expected the name of a kernel of the file, '" + llvm::join(all, "', '") + "', but got '" +
                options.kernel + "'");
  auto isWanted = [&](const KernelArtifact &artifact) {
    return (options.kernel.empty() || artifact.entry == options.kernel) &&
           (options.targets.empty() || llvm::is_contained(options.targets, lookupTarget(artifact.chip)));
  };
  for (const TargetInfo *target : options.targets)
    if (llvm::none_of(artifacts, [&](const auto &artifact) { return artifact->chip == target->chip; }))
      return fail("expected a target that '" + options.inputFile + "' holds kernels for, but got " +
                  target->chip);
  llvm::erase_if(artifacts, [&](const auto &artifact) { return !isWanted(*artifact); });
  kernels = collectNames(artifacts);
  return Error::success();
}

/// Opens the device, and finds the artifact for it.
Error ArtifactSession::choosePlace() {
  if (!wantsToRun(options, kernels.size() == 1 && artifacts.front()->params.empty()))
    return checkNoRun(options);
  if (kernels.size() > 1)
    return fail("expected '--kernel' with the one to run, but the file has several: '" +
                llvm::join(kernels, "', '") + "'");
  Expected<OpenDevice> open = openDevice(options.deviceOrdinal);
  if (!open)
    return open.takeError();
  device = std::move(*open);
  Expected<SharedArtifact> found = chooseArtifact(artifacts, kernels.front(), *device.device);
  if (!found)
    return found.takeError();
  chosen = std::move(*found);
  return Error::success();
}

Error ArtifactSession::readArguments() {
  if (!chosen)
    return Error::success();
  Expected<std::vector<KernelInput>> read = readInputs(options, chosen->entry, chosen->params);
  if (!read)
    return read.takeError();
  inputs = std::move(*read);
  return Error::success();
}

/// Writes what is asked for, and notes each artifact for the report.
Error ArtifactSession::emit() {
  for (const SharedArtifact &artifact : artifacts) {
    if (Error error = emitFiles(options, *artifact, /*llvmIR=*/""))
      return error;
    RunReportEntry entry;
    entry.kernel = artifact->entry;
    entry.blockThreads = artifact->blockThreads;
    entry.target = lookupTarget(artifact->chip);
    entry.artifact = artifact;
    report.entries.push_back(std::move(entry));
  }
  return Error::success();
}

Error ArtifactSession::runKernel() {
  if (!chosen)
    return Error::success();
  Expected<DispatchedKernel> made = DispatchedKernel::create(
      chosen->entry, chosen->params, [this](const TargetInfo &) { return Expected<SharedArtifact>(chosen); });
  if (!made)
    return made.takeError();
  dispatched.push_back(std::move(*made));
  for (RunReportEntry &entry : report.entries) {
    if (entry.artifact != chosen)
      continue;
    if (Error error = addLaunchSizes(entry, inputs))
      return error;
    DeviceRun run = {*device.device, dispatched.front().getDispatcher(), *entry.target, chosen};
    Expected<RunOutcome> outcome = runOnDevice(run, inputs, makePlan(options));
    if (!outcome)
      return outcome.takeError();
    entry.run = std::move(*outcome);
  }
  return writeOutputs(options, inputs);
}

bool ArtifactSession::run() {
  for (auto phase : {&ArtifactSession::checkOptions, &ArtifactSession::selectArtifacts,
                     &ArtifactSession::choosePlace, &ArtifactSession::readArguments, &ArtifactSession::emit})
    if (!reportError((this->*phase)()))
      return false;
  bool isRun = reportError(runKernel());
  if (options.stats) {
    report.stats.emplace();
    for (const DispatchedKernel &kernel : dispatched)
      report.stats->push_back(kernel.getStats());
  }
  printReport(options, report);
  return isRun;
}
