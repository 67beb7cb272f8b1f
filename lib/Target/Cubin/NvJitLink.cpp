//===- NvJitLink.cpp - assembly in this process
//------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the use of libnvJitLink: its loading, its versioned symbols, and one assembly from start to end. The
// declarations follow the documentation of nvJitLink; its header is not needed.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Assemblers.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <dlfcn.h>
#include <pthread.h>

using namespace llvm;
using namespace tilus;

namespace {
using Handle = void *;
using Status = int;

constexpr Status statusSuccess = 0;
/// NVJITLINK_ERROR_UNRECOGNIZED_ARCH and NVJITLINK_ERROR_UNSUPPORTED_ARCH.
constexpr Status unrecognizedArch = 16;
constexpr Status unsupportedArch = 17;
/// NVJITLINK_INPUT_PTX.
constexpr int inputPTX = 2;

/// The functions used, resolved from the library.
struct Library {
  Status (*create)(Handle *, uint32_t, const char *const *) = nullptr;
  Status (*destroy)(Handle *) = nullptr;
  Status (*addData)(Handle, int, const void *, size_t, const char *) = nullptr;
  Status (*complete)(Handle) = nullptr;
  Status (*getErrorLogSize)(Handle, size_t *) = nullptr;
  Status (*getErrorLog)(Handle, char *) = nullptr;
  Status (*getInfoLogSize)(Handle, size_t *) = nullptr;
  Status (*getInfoLog)(Handle, char *) = nullptr;
  Status (*getCubinSize)(Handle, size_t *) = nullptr;
  Status (*getCubin)(Handle, void *) = nullptr;
  Status (*version)(unsigned *, unsigned *) = nullptr;
  std::string path;
};
} // namespace

/// A library exports each function under a name with its version, and older ones under the plain name too.
template <typename Function> static bool resolve(void *library, const char *name, Function &function) {
  void *symbol = nullptr;
  for (const char *version :
       {"_13_0", "_12_9", "_12_8", "_12_6", "_12_5", "_12_4", "_12_3", "_12_2", "_12_1", "_12_0"})
    if (!symbol)
      symbol = dlsym(library, ("__nvJitLink" + Twine(name) + version).str().c_str());
  if (!symbol)
    symbol = dlsym(library, ("nvJitLink" + Twine(name)).str().c_str());
  function = reinterpret_cast<Function>(symbol);
  return symbol != nullptr;
}

static bool resolveAll(void *library, Library &functions) {
  // nvJitLinkVersion has no versioned name, and the first releases do not have it.
  resolve(library, "Version", functions.version);
  return resolve(library, "Create", functions.create) && resolve(library, "Destroy", functions.destroy) &&
         resolve(library, "AddData", functions.addData) && resolve(library, "Complete", functions.complete) &&
         resolve(library, "GetErrorLogSize", functions.getErrorLogSize) &&
         resolve(library, "GetErrorLog", functions.getErrorLog) &&
         resolve(library, "GetInfoLogSize", functions.getInfoLogSize) &&
         resolve(library, "GetInfoLog", functions.getInfoLog) &&
         resolve(library, "GetLinkedCubinSize", functions.getCubinSize) &&
         resolve(library, "GetLinkedCubin", functions.getCubin);
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// How many threads are in the library, and whether one was when this process was forked: the library's locks
/// are then taken for good in the child. A fork concerns the process, so this is one of the few things that a
/// process has once.
static std::atomic<unsigned> users{0};
static std::atomic<bool> isSpoiltByFork{false};

static void noteFork() {
  if (users.exchange(0) != 0)
    isSpoiltByFork = true;
}

bool tilus::isNvJitLinkLost() { return isSpoiltByFork; }

namespace {
/// A stay in the library.
class UseScope {
public:
  UseScope() {
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, noteFork);
    ++users;
  }
  ~UseScope() { --users; }
};
} // namespace

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

/// Loads the library from where it is found, or else by the loader's own path. It stays loaded: to load it
/// again for each kernel would cost more than the assembly.
static std::optional<Library> load(const ToolkitPaths &paths, ToolkitSearch &search) {
  search = findToolkitFile(ToolkitFile::NvJitLink, paths);
  if (isNvJitLinkLost())
    return std::nullopt;
  SmallVector<std::string> candidates;
  if (!search.path.empty())
    candidates.push_back(search.path);
  if (paths.useDefaults && paths.files[static_cast<size_t>(ToolkitFile::NvJitLink)].empty()) {
    candidates.append({"libnvJitLink.so.13", "libnvJitLink.so.12", "libnvJitLink.so"});
    search.searched.push_back("the loader's path");
  }
  for (const std::string &candidate : candidates) {
    void *handle = dlopen(candidate.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    Library library;
    if (handle && resolveAll(handle, library)) {
      library.path = candidate;
      return library;
    }
    // A file that is there and is of no use is worth a reason.
    if (candidate == search.path)
      search.searched.push_back(candidate +
                                (handle ? " (lacks functions)" : std::string(" (") + dlerror() + ")"));
  }
  return std::nullopt;
}

/// One that only the loader finds has to be loaded for its path.
std::string tilus::findNvJitLink(const ToolkitPaths &paths) {
  UseScope use;
  ToolkitSearch search = findToolkitFile(ToolkitFile::NvJitLink, paths);
  if (!search.path.empty())
    return search.path;
  std::optional<Library> library = load(paths, search);
  Dl_info info = {};
  if (!library || !dladdr(reinterpret_cast<void *>(library->create), &info) || !info.dli_fname)
    return "";
  return info.dli_fname;
}

static std::string describe(const Library &library) {
  std::string name = "nvJitLink";
  unsigned major = 0, minor = 0;
  if (library.version && library.version(&major, &minor) == statusSuccess)
    name += " " + std::to_string(major) + "." + std::to_string(minor);
  return name + " (" + library.path + ")";
}

static std::vector<std::string> getArguments(const AssemblyJob &job) {
  std::vector<std::string> arguments = {"-arch=" + job.target->chip.str(), "-Xptxas=-v",
                                        "-Xptxas=-O" + std::to_string(job.options->optLevel)};
  if (job.options->lineInfo)
    arguments.push_back("-lineinfo");
  if (job.options->maxRegisters)
    arguments.insert(arguments.end(), {"-maxrregcount=" + std::to_string(job.options->maxRegisters),
                                       std::string("-Xptxas=--override-directive-values")});
  if (job.minBlocks)
    arguments.push_back("-Xptxas=--minnctapersm=" + std::to_string(job.minBlocks));
  return arguments;
}

static std::string readLog(Handle handle, Status (*getSize)(Handle, size_t *),
                           Status (*get)(Handle, char *)) {
  size_t size = 0;
  if (getSize(handle, &size) != statusSuccess || size == 0)
    return "";
  std::string log(size, '\0');
  if (get(handle, log.data()) != statusSuccess)
    return "";
  return StringRef(log.c_str()).rtrim().str();
}

std::optional<AssemblyResult> tilus::assembleWithNvJitLink(const AssemblyJob &job, ToolkitSearch &search) {
  UseScope use;
  std::optional<Library> library = load(job.options->toolkit, search);
  if (!library)
    return std::nullopt;

  AssemblyResult result;
  result.name = describe(*library);
  std::vector<std::string> arguments = getArguments(job);
  SmallVector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());

  Handle handle = nullptr;
  Status status = library->create(&handle, pointers.size(), pointers.data());
  if (status != statusSuccess) {
    result.isChipUnknown = status == unrecognizedArch || status == unsupportedArch;
    result.log = "nvJitLinkCreate returned " + std::to_string(status) + " for " + join(arguments, " ");
    return result;
  }
  scope_exit destroy([&] { library->destroy(&handle); });

  // The name appears in messages only. A failure to add does not make 'complete' fail.
  status = library->addData(handle, inputPTX, job.ptx.data(), job.ptx.size(), "kernel.ptx");
  if (status == statusSuccess)
    status = library->complete(handle);
  size_t size = 0;
  if (status == statusSuccess)
    status = library->getCubinSize(handle, &size);
  if (status == statusSuccess) {
    result.bytes.resize(size);
    status = library->getCubin(handle, result.bytes.data());
  }
  result.log = readLog(handle, library->getInfoLogSize, library->getInfoLog);
  if (status != statusSuccess) {
    result.bytes.clear();
    result.log = readLog(handle, library->getErrorLogSize, library->getErrorLog);
    if (result.log.empty())
      result.log = "nvJitLink returned " + std::to_string(status);
  }
  return result;
}
