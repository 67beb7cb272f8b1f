// The state of the fake CUDA driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "FakeCuda.h"
#include "Tilus/Runtime/DriverTypes.h"

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tilus::cuda {
/// A launch in a graph.
struct CapturedLaunch {
  FunctionHandle function;
  LaunchConfig config;
  std::vector<std::vector<unsigned char>> params;
};
struct GraphObject {
  std::vector<CapturedLaunch> launches;
};
struct StreamObject {
  ContextHandle context = nullptr;
  std::atomic<bool> isAlive{true};
  /// The device time that its work has taken.
  double milliseconds = 0;
  bool hangs = false;
  /// What is being captured; null outside a capture.
  GraphHandle capture = nullptr;
  CaptureMode captureMode = captureGlobal;
  std::thread::id captureThread;
  /// Different for each capture.
  unsigned long long captureId = 0;
  bool isCaptureInvalid = false;
};
struct ContextObject {
  explicit ContextObject(int device) : device(device) { defaultStream.context = this; }

  int device;
  std::atomic<int> retained{0};
  /// Different for each context that there ever was.
  unsigned long long id = 0;
  /// The fault that ended the use of the context.
  int fault = 0;
  StreamObject defaultStream;
};
struct FunctionObject {
  ContextHandle context = nullptr;
  std::atomic<bool> isAlive{true};
  std::atomic<int> inFlight{0};
  /// The chip is set only for cubins, as in "90a".
  std::string name, image, chip;
  int registers = 0, localBytes = 0, sharedBytes = 0;
  std::vector<int> paramBytes;
  /// The effects that the image names.
  std::vector<std::pair<std::string, double>> effects;
};
struct ModuleObject {
  FunctionObject function;
  /// It is taken to have the entry that it is asked for.
  bool hasAnyEntry = false;
};
struct EventObject {
  ContextHandle context = nullptr;
  /// The stream that marked it last and its time then; null before.
  const StreamObject *stream = nullptr;
  double milliseconds = 0;
  bool isPending = false;
};
} // namespace tilus::cuda

namespace fake {

using namespace tilus::cuda;

/// The driver's codes that the fake returns.
enum Code : int {
  ok = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  invalidHandle = 400,
  notFound = 500,
  illegalAddress = 700,
  launchFailed = 719,
  captureUnsupported = 900,
  captureInvalidated = 901,
  captureUnmatched = 903,
  captureImplicit = 906,
};

/// A failure that was asked for.
struct Failure {
  std::string symbol;
  int remaining;
  int code;
};

struct Buffer {
  int device;
  size_t bytes;
  unsigned char *memory;
};

struct Kernel {
  FakeKernel code = nullptr;
  void *context = nullptr;
};

/// Reasons for which a call has to look at the state under the lock.
enum Attention : unsigned {
  isUnready = 1, ///< No cuInit so far, or the process is the child of one that called it.
  isRecording = 2,
  hasOrders = 4, ///< A failure, a delay or a kernel's code.
  isCapturing = 8,
  isFaulty = 16,
};

/// The reasons that hold. Apart from the state, so that a launch which none concerns looks at nothing else.
extern std::atomic<unsigned> attention;
inline bool has(unsigned reasons) { return attention.load(std::memory_order_acquire) & reasons; }
inline void raise(Attention reason) { attention.fetch_or(reason, std::memory_order_release); }
inline void clear(Attention reason) { attention.fetch_and(~unsigned(reason), std::memory_order_release); }

/// The mode of a thread: with which captures its unsafe calls interfere.
CaptureMode &getThreadCaptureMode();

struct State {
  std::mutex mutex;
  std::condition_variable released;
  std::vector<int> capabilities;
  /// The primary context of each device, and those that cuCtxCreate made; a destroyed one stays as not
  /// retained, for calls that still look at it.
  std::vector<std::unique_ptr<ContextObject>> contexts, createdContexts;
  unsigned long long contextIds = 0;
  std::set<ModuleHandle> modules;
  std::set<StreamHandle> streams;
  std::set<EventHandle> events;
  std::set<GraphHandle> graphs;
  /// Objects that a call without the lock may still look at; they live until the next reset.
  std::vector<std::unique_ptr<ModuleObject>> moduleStorage;
  std::vector<std::unique_ptr<StreamObject>> streamStorage;
  std::map<DevicePointer, Buffer> buffers;
  /// Page-locked memory with its sizes.
  std::map<const void *, size_t> hostBuffers;
  /// The bytes that were copied from devices, to other memory and to page-locked memory.
  unsigned long long bytesToHost[2] = {};
  std::vector<Failure> failures;
  std::map<std::string, int, std::less<>> delays;
  std::map<std::string, Kernel, std::less<>> kernels;
  std::string log, violations, logPath;

  State();
  void reset(const char *devices);
  bool isDevice(int device) const { return device >= 0 && size_t(device) < capabilities.size(); }
  /// Appends a line to the log if it is recording.
  void record(const std::string &line);
  /// The host memory behind a range of device memory, or null if no buffer holds all of it.
  unsigned char *find(DevicePointer address, size_t bytes);
  /// Copies from a device, and counts.
  void copyToHost(void *to, const unsigned char *from, size_t bytes);
  /// The buffer that holds the address, or the end.
  std::map<DevicePointer, Buffer>::iterator findBuffer(DevicePointer address);
  /// Ends the captures beside which an unsafe call was made by this thread, in a mode; returns what the call
  /// returns.
  int breakCaptures(CaptureMode mode = getThreadCaptureMode());
  /// Whether a capture under way has a launch of the function.
  bool isCaptured(FunctionHandle function) const;
};

State &getState();

/// The contexts that are current on a thread, the innermost last.
struct ContextStack {
  static constexpr unsigned capacity = 16;
  ContextHandle contexts[capacity];
  unsigned depth;

  ContextHandle getCurrent() const { return depth ? contexts[depth - 1] : nullptr; }
};
ContextStack &getContextStack();

/// What a call needs.
enum Need : unsigned { nothing = 0, currentContext = 1, noCapture = 2 };

/// A call of a driver function: its delay, the lock, and what it has to return before it does anything.
class Call {
public:
  explicit Call(const char *symbol, unsigned needs = nothing);

  State &state;
  /// Not `ok` if the call ends here.
  int code = ok;
  ContextHandle context;
  std::unique_lock<std::mutex> lock;

private:
  int begin(const char *symbol, unsigned needs);
};

/// Ends the life of an object.
template <typename Handle> int destroy(std::set<Handle> &live, Handle handle) {
  if (live.erase(handle) == 0)
    return invalidHandle;
  delete handle;
  return ok;
}

/// Whether the image is a cubin, and of which chip, as in "90a".
bool readCubinChip(const char *image, std::string &chip);

} // namespace fake
