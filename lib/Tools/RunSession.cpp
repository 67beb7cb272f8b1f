// What tilus-run does with a parsed file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RunSession.h"

#include "Tilus/Compiler/KernelMetadata.h"
#include "Tilus/Compiler/TargetDiagnostics.h"

#include "llvm/Support/WithColor.h"

using namespace tilus;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error fail(const Twine &message) { return llvm::createStringError(message); }

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
  return tilus::wantsToRun(options,
                           kernels.size() == 1 && KernelOp(kernels.front()).getArgumentTypes().empty());
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
  if (!wantsToRun())
    return checkNoRun(options);
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
  if (llvm::none_of(targets, fits)) {
    auto chips = llvm::map_range(targets, [](const TargetInfo *target) { return StringRef(target->chip); });
    return fail("expected a target that " + device.device->describe() + " can run, but got " +
                llvm::join(chips, ", "));
  }
  return Error::success();
}

Error RunSession::readArguments() {
  if (place == DeviceChoice::None && options.arguments.empty())
    return Error::success();
  KernelOp kernel = kernels.front();
  Expected<std::vector<KernelInput>> bound =
      readInputs(options, kernel.getSymName(), readKernelParams(kernel));
  if (!bound)
    return bound.takeError();
  inputs = std::move(*bound);
  if (place != DeviceChoice::Cpu && options.specialize)
    specialize(kernel, inputs);
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

/// Compiles and emits. What is wrong with the kernel is shown as a diagnostic, and the error is empty then.
Expected<SharedArtifact> RunSession::compileOne(KernelOp kernel, const TargetInfo &target) {
  CompileOptions compile = options.compile;
  compile.emitLLVM = options.emitsKind(EmitKind::LLVM);
  compile.emitCubin = options.emits.empty() || options.json || place == DeviceChoice::Cuda ||
                      options.emitsKind(EmitKind::Cubin) || options.emitsKind(EmitKind::Stages);
  for (const EmitRequest &emit : options.emits)
    if (emit.kind == EmitKind::Stages)
      compile.dumpFolder = emit.folder;
  CompiledKernel compiled;
  bool isCompiled = mlir::succeeded(compileKernel(kernel, target, compile, compiled));
  if (Error error = emitFiles(options, compiled.artifact, compiled.llvmIR))
    return std::move(error);
  if (!isCompiled)
    return fail("");
  RunReportEntry entry;
  entry.kernel = kernel.getSymName().str();
  entry.blockThreads = kernel.getNumThreads();
  entry.target = &target;
  entry.artifact = std::make_shared<const KernelArtifact>(std::move(compiled.artifact));
  entry.times = compiled.times;
  report.entries.push_back(entry);
  return entry.artifact;
}

bool RunSession::compileAll() {
  bool isDone = true;
  for (KernelOp kernel : kernels) {
    std::vector<const TargetInfo *> own = targets;
    if (own.empty())
      own.push_back(getModuleTarget(kernel));
    Expected<DispatchedKernel> made = DispatchedKernel::create(
        kernel.getSymName(), readKernelParams(kernel),
        [this, kernel](const TargetInfo &target) { return compileOne(kernel, target); });
    if (!made)
      return reportError(made.takeError());
    dispatched.push_back(std::move(*made));
    TargetDiagnostics diagnostics(kernel.getContext());
    for (const TargetInfo *target : own) {
      if (target)
        diagnostics.setTarget(target->chip);
      isDone &= target && reportError(dispatched.back().compile(*target).takeError());
    }
  }
  if (kernels.size() == 1 && inputs.size() == KernelOp(kernels.front()).getArgumentTypes().size())
    for (RunReportEntry &entry : report.entries)
      isDone &= reportError(addLaunchSizes(entry, inputs));
  return isDone;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

Error RunSession::runOnCuda() {
  for (RunReportEntry &entry : report.entries) {
    if (!entry.target->canRunOn(device.device->getCapability()))
      continue;
    DeviceRun run = {*device.device, dispatched.front().getDispatcher(), *entry.target, entry.artifact};
    Expected<RunOutcome> outcome = runOnDevice(run, inputs, makePlan(options));
    if (!outcome)
      return outcome.takeError();
    entry.run = std::move(*outcome);
    return Error::success();
  }
  return fail("expected a kernel compiled for " + device.device->describe() + ", but there is none");
}

static bool asksForTarget(KernelOp kernel) {
  auto isQuestion = [](mlir::Operation *op) {
    return mlir::isa<TargetIsOp, TargetSupportsOp>(op) ? mlir::WalkResult::interrupt()
                                                       : mlir::WalkResult::advance();
  };
  return kernel->walk(isQuestion).wasInterrupted();
}

/// Runs for the first target. The outcome is that of all targets, unless the kernel tells them apart.
bool RunSession::runOnCpu() {
  KernelOp kernel = kernels.front();
  if (!targets.empty())
    kernel->getParentOfType<mlir::ModuleOp>()->setAttr(
        TilusDialect::kTargetAttrName,
        TargetAttr::get(kernel.getContext(), targets.front()->triple, targets.front()->chip, ""));
  mlir::FailureOr<RunOutcome> outcome = runOnReference(kernel, inputs, makePlan(options));
  if (mlir::failed(outcome))
    return false;
  if (report.entries.empty()) {
    RunReportEntry entry;
    entry.kernel = kernel.getSymName().str();
    entry.blockThreads = kernel.getNumThreads();
    report.entries.push_back(std::move(entry));
  }
  bool isForAll = targets.size() < 2 || !asksForTarget(kernel);
  if (!isForAll)
    llvm::WithColor::note(llvm::errs(), "tilus-run")
        << "the kernel asks for its target, and the run on the CPU answers for the first, "
        << targets.front()->chip << "\n";
  for (RunReportEntry &entry : report.entries)
    if (isForAll || entry.target == targets.front())
      entry.run = *outcome;
  return true;
}

bool RunSession::runKernel() {
  if (place == DeviceChoice::None)
    return true;
  bool isRun = place == DeviceChoice::Cpu ? runOnCpu() : reportError(runOnCuda());
  return isRun && reportError(writeOutputs(options, inputs));
}

bool RunSession::run() {
  for (auto phase : {&RunSession::chooseKernels, &RunSession::choosePlace, &RunSession::chooseTargets,
                     &RunSession::readArguments})
    if (!reportError((this->*phase)()))
      return false;
  bool isCompiled = !mustCompile() || compileAll();
  // A failure for one target does not keep the kernel from running on the CPU.
  bool isRun = (isCompiled || place == DeviceChoice::Cpu) && runKernel();
  if (options.stats && place == DeviceChoice::Cpu)
    llvm::WithColor::note(llvm::errs(), "tilus-run")
        << "the CPU reference has no dispatcher, so '--stats' has nothing to report of the run\n";
  if (options.stats) {
    report.stats.emplace();
    for (const DispatchedKernel &kernel : dispatched)
      report.stats->push_back(kernel.getStats());
  }
  printReport(options, report);
  return isCompiled && isRun;
}
