// What tilus-run does with a parsed file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunSession.h"

#include "Tilus/Tools/NpyFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error fail(const Twine &message) { return llvm::createStringError(message); }

/// Prints an error if there is one; false then.
bool RunSession::report(Error error) {
  if (!error)
    return true;
  llvm::WithColor::error(llvm::errs(), "tilus-run") << llvm::toString(std::move(error)) << "\n";
  return false;
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

static std::string listNames(llvm::ArrayRef<KernelOp> kernels) {
  return llvm::join(
      llvm::map_range(kernels, [](KernelOp kernel) { return "'" + kernel.getSymName().str() + "'"; }), ", ");
}

Error RunSession::chooseKernels() {
  llvm::SmallVector<KernelOp> all = getKernels(module);
  if (all.empty())
    return fail("expected a file with kernels, but '" + options.inputFile + "' has none");
  for (KernelOp kernel : all)
    if (options.kernel.empty() || kernel.getSymName() == options.kernel)
      kernels.push_back(kernel);
  if (kernels.empty())
    return fail("expected the name of a kernel of the file, " + listNames(all) + ", but got '" +
                options.kernel + "'");
  if (kernels.size() > 1 && wantsToRun())
    return fail("expected '--kernel' with the one to run, but the file has several: " + listNames(kernels));
  return Error::success();
}

bool RunSession::wantsToRun() const {
  if (options.device != DeviceChoice::Default)
    return options.device != DeviceChoice::None;
  bool needsNoArguments = kernels.size() == 1 && KernelOp(kernels.front()).getArgumentTypes().empty();
  return needsNoArguments || !options.arguments.empty() || !options.outputs.empty() || options.repeat > 0 ||
         options.checkHazards;
}

/// A GPU that one of the targets fits, else the CPU.
Error RunSession::chooseAutomatically() {
  place = DeviceChoice::Cpu;
  if (options.checkHazards)
    return Error::success();
  Expected<OpenDevice> open = openDevice(0);
  if (!open) {
    llvm::consumeError(open.takeError());
    return Error::success();
  }
  device = std::move(*open);
  std::vector<const TargetInfo *> wanted = options.targets;
  if (TargetAttr own = getTarget(kernels.front()); own && wanted.empty())
    wanted.push_back(own.getInfo());
  if (wanted.empty() && device.device->getTarget())
    wanted.push_back(device.device->getTarget());
  if (llvm::any_of(wanted, [&](auto *target) { return target->canRunOn(device.device->getCapability()); }))
    place = DeviceChoice::Cuda;
  return Error::success();
}

Error RunSession::choosePlace() {
  if (!wantsToRun()) {
    if (!options.outputs.empty() || options.repeat > 0 || options.checkHazards)
      return fail("expected a device for '--out', '--repeat' and '--check-hazards', but got '--device none'");
    return Error::success();
  }
  place = options.device;
  if (place == DeviceChoice::Auto || place == DeviceChoice::Default)
    return chooseAutomatically();
  if (place != DeviceChoice::Cuda)
    return Error::success();
  if (options.checkHazards)
    return fail("expected '--device cpu' for '--check-hazards', but got '--device cuda'");
  Expected<OpenDevice> open = openDevice(options.deviceOrdinal);
  if (!open)
    return open.takeError();
  device = std::move(*open);
  return Error::success();
}

Error RunSession::chooseTargets() {
  targets = options.targets;
  bool isExplicitCuda = options.device == DeviceChoice::Cuda;
  TargetAttr own = getTarget(kernels.front());
  if (targets.empty() && place == DeviceChoice::Cuda && (isExplicitCuda || !own)) {
    if (!device.device->getTarget())
      return fail("expected a device of a known chip, but got " + device.device->describe() +
                  "; name a chip by '--target'");
    targets.push_back(device.device->getTarget());
  }
  if (place != DeviceChoice::Cuda || targets.empty())
    return Error::success();
  auto fits = [&](const TargetInfo *target) { return target->canRunOn(device.device->getCapability()); };
  if (llvm::none_of(targets, fits))
    return fail("expected a target that " + device.device->describe() + " can run, but got " +
                targets.front()->chip);
  return Error::success();
}

Error RunSession::readArguments() {
  if (place == DeviceChoice::None && options.arguments.empty())
    return Error::success();
  Expected<std::vector<KernelInput>> bound = bindArguments(kernels.front(), options.arguments);
  if (!bound)
    return bound.takeError();
  inputs = std::move(*bound);
  for (const OutRequest &out : options.outputs)
    if (Expected<unsigned> index = findTensorArgument(out.argument, inputs); !index)
      return index.takeError();
  if (place != DeviceChoice::Cpu && options.specialize)
    specialize(kernels.front(), inputs);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Compiling
//===----------------------------------------------------------------------===//

/// The CPU reference needs no compilation: it is done there only where something of it is asked for.
bool RunSession::mustCompile() const {
  return place != DeviceChoice::Cpu || !options.emits.empty() || !options.targets.empty() ||
         (options.json && getTarget(kernels.front()));
}

static Error writeFile(StringRef folder, StringRef name, StringRef bytes) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  std::error_code error = llvm::sys::fs::create_directories(folder);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << bytes;
      file.close();
      error = file.error();
      file.clear_error();
    }
  }
  return error ? fail("expected to write '" + path + "', but: " + error.message()) : Error::success();
}

/// Writes what was asked for and was made.
Error RunSession::emit(const CompiledKernel &compiled) {
  const KernelArtifact &artifact = compiled.artifact;
  StringRef cubin(reinterpret_cast<const char *>(artifact.cubin.data()), artifact.cubin.size());
  /// In the order of EmitKind.
  const StringRef contents[] = {compiled.llvmIR, artifact.ptx, cubin};
  for (const EmitRequest &request : options.emits) {
    StringRef content = contents[static_cast<size_t>(request.kind)];
    std::string name = artifact.entry + "." + artifact.chip + "." + getEmitExtension(request.kind).str();
    if (content.empty())
      continue;
    if (Error error = writeFile(request.folder, name, content))
      return error;
  }
  return Error::success();
}

Error RunSession::computeSizes(const KernelArtifact &artifact, RunReportEntry &entry) {
  Expected<LaunchSizes> sizes = computeLaunchSizes(std::make_shared<KernelArtifact>(artifact), inputs);
  if (!sizes)
    return sizes.takeError();
  entry.launch = std::move(*sizes);
  return Error::success();
}

bool RunSession::compileOne(KernelOp kernel, const TargetInfo *target) {
  CompileOptions compile = options.compile;
  compile.emitLLVM = options.emitsKind(EmitKind::LLVM);
  compile.emitCubin = options.emits.empty() || options.json || place == DeviceChoice::Cuda ||
                      options.emitsKind(EmitKind::Cubin);
  CompiledKernel compiled;
  bool isCompiled = mlir::succeeded(compileKernel(kernel, *target, compile, compiled));
  bool isEmitted = report(emit(compiled));
  if (!isCompiled || !isEmitted)
    return false;
  RunReportEntry entry;
  entry.kernel = kernel.getSymName().str();
  entry.blockThreads = kernel.getNumThreads();
  entry.target = target;
  bool hasArguments = kernels.size() == 1 && inputs.size() == kernel.getArgumentTypes().size();
  bool isMeasured = !hasArguments || report(computeSizes(compiled.artifact, entry));
  entry.compiled = std::move(compiled);
  entries.push_back(std::move(entry));
  return isMeasured;
}

bool RunSession::compileAll() {
  bool isDone = true;
  for (KernelOp kernel : kernels) {
    std::vector<const TargetInfo *> own = targets;
    if (own.empty())
      own.push_back(getModuleTarget(kernel));
    for (const TargetInfo *target : own)
      isDone &= target && compileOne(kernel, target);
  }
  return isDone;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static RunPlan makePlan(const RunOptions &options) {
  RunPlan plan;
  plan.repeat = std::max(options.repeat, 1u);
  plan.hasWarmUp = options.repeat > 0;
  plan.checkHazards = options.checkHazards;
  plan.output = options.json ? &llvm::errs() : &llvm::outs();
  return plan;
}

Error RunSession::runOnCuda() {
  for (RunReportEntry &entry : entries) {
    if (!entry.target->canRunOn(device.device->getCapability()))
      continue;
    auto artifact = std::make_shared<KernelArtifact>(entry.compiled->artifact);
    Expected<RunOutcome> outcome = runOnDevice(*device.device, artifact, inputs, makePlan(options));
    if (!outcome)
      return outcome.takeError();
    entry.run = std::move(*outcome);
    return Error::success();
  }
  return fail("expected a kernel compiled for " + device.device->describe() + ", but there is none");
}

bool RunSession::runOnCpu() {
  KernelOp kernel = kernels.front();
  mlir::FailureOr<RunOutcome> outcome = runOnReference(kernel, inputs, makePlan(options));
  if (mlir::failed(outcome))
    return false;
  if (entries.empty())
    entries.push_back({kernel.getSymName().str(), unsigned(kernel.getNumThreads()), nullptr, {}, {}, {}});
  for (RunReportEntry &entry : entries)
    entry.run = *outcome;
  return true;
}

Error RunSession::writeOutputs() {
  for (const OutRequest &out : options.outputs) {
    Expected<unsigned> index = findTensorArgument(out.argument, inputs);
    if (!index)
      return index.takeError();
    if (Error error = writeNpy(out.path, inputs[*index].tensor))
      return error;
  }
  return Error::success();
}

bool RunSession::runKernel() {
  if (place == DeviceChoice::None)
    return true;
  bool isRun = place == DeviceChoice::Cpu ? runOnCpu() : report(runOnCuda());
  return isRun && report(writeOutputs());
}

bool RunSession::run() {
  for (auto phase : {&RunSession::chooseKernels, &RunSession::choosePlace, &RunSession::chooseTargets,
                     &RunSession::readArguments})
    if (!report((this->*phase)()))
      return false;
  bool isCompiled = !mustCompile() || compileAll();
  // A failure for one target does not keep the kernel from running on the CPU.
  bool isRun = (isCompiled || place == DeviceChoice::Cpu) && runKernel();
  auto print = options.json ? printJsonReport : printTextReport;
  print(entries, llvm::outs());
  return isCompiled && isRun;
}
