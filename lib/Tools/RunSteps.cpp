// Steps of a run of tilus-run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunSteps.h"

#include "Tilus/Support/WriteFile.h"
#include "Tilus/Tools/NpyFile.h"

#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

bool tilus::reportError(Error error) {
  if (!error)
    return true;
  if (std::string text = llvm::toString(std::move(error)); !text.empty())
    llvm::WithColor::error(llvm::errs(), "tilus-run") << text << "\n";
  return false;
}

bool tilus::wantsToRun(const RunOptions &options, bool isOneWithoutParams) {
  if (options.device != DeviceChoice::Default)
    return options.device != DeviceChoice::None;
  return isOneWithoutParams || !options.arguments.empty() || !options.outputs.empty() || options.repeat > 0 ||
         options.checkHazards;
}

Error tilus::checkNoRun(const RunOptions &options) {
  if (options.outputs.empty() && options.repeat == 0 && !options.checkHazards)
    return Error::success();
  return llvm::createStringError(
      "expected a device for '--out', '--repeat' and '--check-hazards', but got '--device none'");
}

Expected<std::vector<KernelInput>> tilus::readInputs(const RunOptions &options, StringRef kernel,
                                                     llvm::ArrayRef<KernelParam> params) {
  Expected<std::vector<KernelInput>> inputs = bindArguments(kernel, params, options.arguments);
  if (!inputs)
    return inputs.takeError();
  for (const OutRequest &out : options.outputs)
    if (Expected<unsigned> index = findTensorArgument(out.argument, *inputs); !index)
      return index.takeError();
  return inputs;
}

Error tilus::emitFiles(const RunOptions &options, const KernelArtifact &artifact, StringRef llvmIR) {
  StringRef cubin(reinterpret_cast<const char *>(artifact.cubin.data()), artifact.cubin.size());
  /// In the order of EmitKind.
  const StringRef contents[] = {llvmIR, artifact.ptx, cubin, /*written by the compiler*/ ""};
  for (const EmitRequest &request : options.emits) {
    StringRef content = contents[static_cast<size_t>(request.kind)];
    if (content.empty())
      continue;
    std::string suffix = "." + artifact.chip + "." + getEmitExtension(request.kind).str();
    std::string path = makeKernelPath(request.folder, artifact.entry, suffix);
    if (std::error_code error = writeFile(path, content))
      return llvm::createStringError("expected to write '" + Twine(path) + "', but: " + error.message());
  }
  return Error::success();
}

Error tilus::addLaunchSizes(RunReportEntry &entry, llvm::ArrayRef<KernelInput> inputs) {
  Expected<LaunchSizes> sizes = computeLaunchSizes(entry.artifact, inputs);
  if (!sizes)
    return sizes.takeError();
  entry.launch = std::move(*sizes);
  return Error::success();
}

RunPlan tilus::makePlan(const RunOptions &options) {
  RunPlan plan;
  plan.repeat = std::max(options.repeat, 1u);
  plan.hasWarmUp = options.repeat > 0;
  plan.checkHazards = options.checkHazards;
  plan.output = options.json ? &llvm::errs() : &llvm::outs();
  return plan;
}

Error tilus::writeOutputs(const RunOptions &options, llvm::ArrayRef<KernelInput> inputs) {
  for (const OutRequest &out : options.outputs) {
    Expected<unsigned> index = findTensorArgument(out.argument, inputs);
    if (!index)
      return index.takeError();
    if (Error error = writeNpy(out.path, inputs[*index].tensor))
      return error;
  }
  return Error::success();
}

void tilus::printReport(const RunOptions &options, const RunReport &report) {
  auto print = options.json ? printJsonReport : printTextReport;
  print(report, llvm::outs());
}
