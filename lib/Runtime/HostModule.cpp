// Launches of kernels that are embedded in a host program.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/HostModule.h"

#include "Tilus/Runtime/Launcher.h"
#include "Tilus/Support/ArtifactFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cstring>

namespace tilus {

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

HostModule::~HostModule() {
  for (Context &context : contexts)
    if (!context.isPrimary)
      context.device->abandon();
  kernels.clear();
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

/// Reads the artifacts and loads the driver. A fault is met again by the next launch.
Error HostModule::open() {
  {
    std::shared_lock lock(mutex);
    if (driver)
      return Error::success();
  }
  std::unique_lock lock(mutex);
  if (driver)
    return Error::success();
  Expected<ArtifactFile> file = parseArtifacts(bytes);
  if (!file)
    return llvm::createStringError("the objects of '" + name + "': " + llvm::toString(file.takeError()));
  Expected<std::unique_ptr<CudaDriver>> loaded = CudaDriver::load(CudaDriver::getDefaultPath());
  if (!loaded)
    return loaded.takeError();
  for (KernelArtifact &artifact : file->artifacts)
    artifacts.push_back(std::make_shared<const KernelArtifact>(std::move(artifact)));
  driver = std::move(*loaded);
  return Error::success();
}

/// Whether the handle is none of a stream that was made: null, or 1 and 2, the driver's default streams.
static bool isDefaultStream(cuda::StreamHandle stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

Expected<const Device *> HostModule::findDevice(cuda::StreamHandle stream) {
  cuda::ContextHandle handle = nullptr;
  const CudaDriver &cuda = *driver;
  Error error = isDefaultStream(stream)
                    ? cuda.check(cuda->ctxGetCurrent(&handle), "cuCtxGetCurrent", "a launch")
                    : cuda.check(cuda->streamGetCtx(stream, &handle), "cuStreamGetCtx", "a launch");
  if (error)
    return std::move(error);
  unsigned long long id = 0;
  if (handle && cuda->ctxGetId)
    if (Error failed = cuda.check(cuda->ctxGetId(handle, &id), "cuCtxGetId", "a launch"))
      return std::move(failed);
  auto isWanted = [&](const Context &context) {
    // Without any context, the primary one of device 0.
    return handle ? context.handle == handle && context.id == id
                  : context.isPrimary && context.device->getOrdinal() == 0;
  };
  {
    std::shared_lock lock(mutex);
    if (auto found = llvm::find_if(contexts, isWanted); found != contexts.end())
      return found->device.get();
  }
  std::unique_lock lock(mutex);
  if (auto found = llvm::find_if(contexts, isWanted); found != contexts.end())
    return found->device.get();
  return addContext(handle, id);
}

Expected<const Device *> HostModule::addContext(cuda::ContextHandle handle, uint64_t id) {
  auto sameHandle = [&](const Context &context) { return handle && context.handle == handle; };
  if (auto old = llvm::find_if(contexts, sameHandle); old != contexts.end()) {
    old->device->abandon();
    former.push_back(std::move(old->device));
    contexts.erase(old);
  }
  Expected<std::unique_ptr<Device>> device =
      handle ? Device::adopt(*driver, handle) : Device::open(*driver, 0);
  if (!device)
    return device.takeError();
  unsigned long long number = id;
  if (!handle && (*driver)->ctxGetId)
    if (Error error = driver->check((*driver)->ctxGetId((*device)->getContext(), &number), "cuCtxGetId",
                                    (*device)->describe()))
      return std::move(error);
  bool isPrimary = (*device)->isPrimary();
  contexts.push_back({(*device)->getContext(), number, std::move(*device), isPrimary});
  return contexts.back().device.get();
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

std::string HostModule::describeTable(StringRef entry) const {
  llvm::SmallVector<StringRef> chips;
  for (const std::shared_ptr<const KernelArtifact> &artifact : artifacts)
    if (artifact->entry == entry)
      chips.push_back(artifact->chip);
  return chips.empty() ? "none" : llvm::join(chips, ", ");
}

Expected<std::vector<Candidate>> HostModule::findCandidates(StringRef entry, const Target &target) const {
  std::vector<Candidate> found;
  for (const std::shared_ptr<const KernelArtifact> &artifact : artifacts)
    if (artifact->entry == entry && artifact->chip == target.getChip() &&
        artifact->features == target.getFeatures())
      found.push_back({artifact, artifact->schedule, artifact->schedule});
  if (!found.empty())
    return std::move(found);
  return llvm::createStringError("expected an object for " + target.getName() + " of kernel '" + entry +
                                 "' in '" + name + "', but got those for " + describeTable(entry));
}

static CallParam::Kind getKind(const KernelParam &param) {
  if (param.isPointer())
    return CallParam::Kind::Pointer;
  return param.format.isFloat() ? CallParam::Kind::Float : CallParam::Kind::Integer;
}

Expected<std::unique_ptr<HostModule::Kernel>> HostModule::makeKernel(StringRef entry) {
  auto isEntry = [&](const auto &artifact) { return artifact->entry == entry; };
  auto first = llvm::find_if(artifacts, isEntry);
  if (first == artifacts.end()) {
    llvm::SmallVector<StringRef> names;
    for (const std::shared_ptr<const KernelArtifact> &artifact : artifacts)
      if (!llvm::is_contained(names, artifact->entry))
        names.push_back(artifact->entry);
    return llvm::createStringError("expected a kernel '" + entry + "' in '" + name + "', but got " +
                                   (names.empty() ? "none" : llvm::join(names, ", ")));
  }
  auto kernel = std::make_unique<Kernel>();
  kernel->params = (*first)->params;
  std::vector<CallParam> params;
  for (const KernelParam &param : kernel->params)
    params.push_back({param.name, getKind(param), /*divisors=*/0});
  Expected<CallSignature> signature = CallSignature::create(entry, std::move(params));
  if (!signature)
    return signature.takeError();
  DispatcherOptions options;
  options.compile = [this, entry = entry.str()](const CompileRequest &request) {
    return findCandidates(entry, request.target);
  };
  options.log = getDispatchLogFromEnvironment();
  kernel->dispatcher = std::make_unique<Dispatcher>(std::move(*signature), std::move(options));
  return std::move(kernel);
}

Expected<HostModule::Kernel *> HostModule::findKernel(StringRef entry) {
  {
    std::shared_lock lock(mutex);
    if (auto found = kernels.find(entry); found != kernels.end())
      return found->second.get();
  }
  std::unique_lock lock(mutex);
  if (auto found = kernels.find(entry); found != kernels.end())
    return found->second.get();
  Expected<std::unique_ptr<Kernel>> made = makeKernel(entry);
  if (!made)
    return made.takeError();
  return kernels.emplace(entry.str(), std::move(*made)).first->second.get();
}

/// The target of the best object for the device; the thread's current target goes before it.
Expected<const Target *> HostModule::findTarget(Kernel &kernel, StringRef entry, const Device &device) {
  if (const Target *current = getCurrentTarget())
    return current;
  {
    std::shared_lock lock(mutex);
    if (auto found = kernel.targets.find(&device); found != kernel.targets.end())
      return found->second;
  }
  Expected<std::shared_ptr<const KernelArtifact>> chosen = chooseArtifact(artifacts, entry, device);
  if (!chosen)
    return llvm::createStringError("'" + name + "': " + llvm::toString(chosen.takeError()));
  Expected<const Target *> target = Target::lookup((*chosen)->chip, (*chosen)->features);
  if (!target)
    return target.takeError();
  std::unique_lock lock(mutex);
  kernel.targets.emplace(&device, *target);
  return *target;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static CallValue readValue(const KernelParam &param, const void *data) {
  uint64_t code = 0;
  std::memcpy(&code, data, param.getBytes());
  if (param.isPointer())
    return CallValue::getPointer(code);
  if (param.format.isFloat())
    return CallValue::getFloat(param.format.decode(code));
  return CallValue::getInt(param.format.decodeInt(code));
}

static Error readValues(llvm::ArrayRef<KernelParam> params, const HostLaunch &launch,
                        llvm::SmallVectorImpl<CallValue> &values) {
  if (launch.arguments.size() != params.size())
    return llvm::createStringError("expected " + llvm::Twine(params.size()) + " arguments of kernel '" +
                                   launch.entry + "', but got " + llvm::Twine(launch.arguments.size()) +
                                   "; a memref is passed as one pointer to its first element");
  for (auto [param, data, bytes] : llvm::zip(params, launch.arguments, launch.argumentBytes)) {
    if (bytes != param.getBytes())
      return llvm::createStringError("expected " + llvm::Twine(param.getBytes()) + " bytes for parameter '" +
                                     param.name + "' of kernel '" + launch.entry + "', but got " +
                                     llvm::Twine(bytes));
    values.push_back(readValue(param, data));
  }
  return Error::success();
}

/// Whether the launch says anything that could contradict the kernel.
static bool hasSizes(const HostLaunch &launch) {
  constexpr std::array<int64_t, 3> none = {};
  return launch.grid != none || launch.block != none || launch.cluster != none || launch.sharedBytes != 0;
}

static std::string describeSizes(const std::array<int64_t, 3> &sizes) {
  return (llvm::Twine(sizes[0]) + " x " + llvm::Twine(sizes[1]) + " x " + llvm::Twine(sizes[2])).str();
}

Error HostModule::checkSizes(const KernelArtifact &artifact, const HostLaunch &launch,
                             llvm::ArrayRef<CallValue> values) const {
  auto check = [&](StringRef what, const std::array<int64_t, 3> &stated,
                   const std::array<int64_t, 3> &own) -> Error {
    if (stated == std::array<int64_t, 3>() || stated == own)
      return Error::success();
    return llvm::createStringError("expected " + describeSizes(own) + " " + what +
                                   ", or 0 x 0 x 0 to leave it " + "to the kernel, in a launch of '" +
                                   launch.entry + "', but got " + describeSizes(stated));
  };
  if (Error error = check("threads a block", launch.block, {artifact.blockThreads, 1, 1}))
    return error;
  if (Error error = check("blocks a cluster", launch.cluster,
                          {artifact.cluster[0], artifact.cluster[1], artifact.cluster[2]}))
    return error;
  if (launch.sharedBytes != 0 && launch.sharedBytes != artifact.dynamicSharedBytes)
    return llvm::createStringError("expected " + llvm::Twine(artifact.dynamicSharedBytes) +
                                   " bytes of dynamic shared memory, or 0 to leave it to the kernel, in a "
                                   "launch of '" +
                                   launch.entry + "', but got " + llvm::Twine(launch.sharedBytes));
  if (launch.grid == std::array<int64_t, 3>())
    return Error::success();
  llvm::SmallVector<int64_t, 16> gridValues;
  for (const CallValue &value : values)
    gridValues.push_back(value.getTag() == ValueTag::Int ? value.getInt() : 0);
  std::array<int64_t, 3> own;
  for (unsigned axis = 0; axis < 3; ++axis) {
    Expected<unsigned> blocks = computeGridAxis(artifact, gridValues, axis);
    if (!blocks)
      return blocks.takeError();
    own[axis] = *blocks;
  }
  return check("blocks", launch.grid, own);
}

Error HostModule::launch(const HostLaunch &launch) {
  if (Error error = open())
    return error;
  if (driver->isForeign())
    return CudaDriver::describeFork("a launch of '" + launch.entry + "'");
  Expected<const Device *> device = findDevice(launch.stream);
  if (!device)
    return device.takeError();
  Expected<Kernel *> kernel = findKernel(launch.entry);
  if (!kernel)
    return kernel.takeError();
  llvm::SmallVector<CallValue, 16> values;
  if (Error error = readValues((*kernel)->params, launch, values))
    return error;
  Expected<const Target *> target = findTarget(**kernel, launch.entry, **device);
  if (!target)
    return target.takeError();
  if (hasSizes(launch)) {
    Expected<const JitInstance *> instance = (*kernel)->dispatcher->compile(values, *target);
    if (!instance)
      return instance.takeError();
    if (Error error = checkSizes(*(*instance)->candidates.front().artifact, launch, values))
      return error;
  }
  if (Error error = (*kernel)->dispatcher->call(values, {*device, launch.stream, *target}))
    return error;
  if (!launch.waits)
    return Error::success();
  Expected<ContextScope> scope = (*device)->enter();
  if (!scope)
    return scope.takeError();
  return driver->check((*driver)->streamSynchronize(launch.stream), "cuStreamSynchronize",
                       "kernel '" + launch.entry + "' on " + (*device)->describe());
}

} // namespace tilus
