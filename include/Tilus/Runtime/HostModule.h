// The kernels that are embedded in a host program: launched by name, with the code for the device at hand.
//
// Owns: which context a launch runs in, which object suits its device, and a dispatcher for each kernel. The
// program passes sizes and arguments as its compiler knows them; they are checked against the kernel's own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tilus/Runtime/ArtifactChoice.h"
#include "Tilus/Runtime/Dispatcher.h"

#include <array>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace tilus {

/// A launch as a host program states it.
struct HostLaunch {
  llvm::StringRef entry;
  /// Null for the default stream.
  cuda::StreamHandle stream = nullptr;
  /// Return when the kernel has ended.
  bool waits = false;
  /// Blocks, threads a block and blocks a cluster in x, y, z. All three numbers 0: what the kernel says;
  /// otherwise they must be what it says.
  std::array<int64_t, 3> grid = {}, block = {}, cluster = {};
  /// Bytes of dynamic shared memory; 0, or what the kernel says.
  int64_t sharedBytes = 0;
  /// The address and the size in bytes of each argument.
  llvm::ArrayRef<const void *> arguments;
  llvm::ArrayRef<uint32_t> argumentBytes;
};

/// May be used by any number of threads. The driver is loaded, and objects are, when a launch needs them
/// first; each context has its own.
class HostModule {
public:
  /// `bytes`, a file of artifacts, must stay where they are; they are read at the first launch. `name` is for
  /// errors. Nothing fails here.
  HostModule(llvm::StringRef name, llvm::StringRef bytes) : name(name), bytes(bytes) {}
  /// No thread may be in a launch. What is loaded in contexts other than the devices' primary ones is left to
  /// the end of those contexts, which may be over.
  ~HostModule();

  /// Launches the kernel in the context of the stream; without a stream in the thread's current one, or else
  /// in the primary context of device 0. The object is the one for the thread's current target, or else the
  /// most specific that the device runs.
  llvm::Error launch(const HostLaunch &launch);

private:
  /// A context in which something was launched.
  struct Context {
    cuda::ContextHandle handle;
    /// The driver's number of it, which no other ever has; 0 if the driver does not number them.
    uint64_t id;
    std::unique_ptr<Device> device;
    bool isPrimary;
  };
  struct Kernel {
    std::vector<KernelParam> params;
    std::unique_ptr<Dispatcher> dispatcher;
    /// The target whose object runs in each context.
    std::map<const Device *, const Target *> targets;
  };

  llvm::Error open();
  llvm::Expected<const Device *> findDevice(cuda::StreamHandle stream);
  llvm::Expected<const Device *> addContext(cuda::ContextHandle handle, uint64_t id);
  llvm::Expected<Kernel *> findKernel(llvm::StringRef entry);
  llvm::Expected<std::unique_ptr<Kernel>> makeKernel(llvm::StringRef entry);
  llvm::Expected<const Target *> findTarget(Kernel &kernel, llvm::StringRef entry, const Device &device);
  llvm::Error checkSizes(const KernelArtifact &artifact, const HostLaunch &launch,
                         llvm::ArrayRef<CallValue> values) const;
  llvm::Expected<std::vector<Candidate>> findCandidates(llvm::StringRef entry, const Target &target) const;
  std::string describeTable(llvm::StringRef entry) const;

  const std::string name;
  const llvm::StringRef bytes;
  /// Guards what is below. What is in it once stays until the end.
  std::shared_mutex mutex;
  ArtifactList artifacts;
  std::unique_ptr<CudaDriver> driver;
  std::vector<Context> contexts;
  /// Their contexts are over, and others may have their handles.
  std::vector<std::unique_ptr<Device>> former;
  std::map<std::string, std::unique_ptr<Kernel>, std::less<>> kernels;
};

} // namespace tilus
