// Tests of the fake driver itself: that it behaves as the driver does where the runtime relies on it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FakeDriverFixture.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/EventTimer.h"

#include "gmock/gmock.h"
#include <chrono>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilus;
using testing::HasSubstr;

namespace {

using cuda::GraphHandle;

class FakeCudaTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    open("90,103");
  }
  void open(const char *devices) {
    scope.reset();
    device.reset();
    reset(devices);
    driver = llvm::cantFail(CudaDriver::load(TILUS_FAKE_CUDA));
    device = llvm::cantFail(Device::open(*driver, 0));
    scope = std::make_unique<ContextScope>(llvm::cantFail(device->enter()));
  }
  void TearDown() override {
    for (cuda::ModuleHandle module : modules)
      (*driver)->moduleUnload(module);
    scope.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  cuda::Result load(const char *image, cuda::ModuleHandle &module) {
    cuda::Result code = (*driver)->moduleLoadDataEx(&module, image, 0, nullptr, nullptr);
    if (code == cuda::success)
      modules.push_back(module);
    return code;
  }
  /// The function of a module of one parameter of 8 bytes.
  cuda::FunctionHandle getFunction(const char *entry) {
    cuda::ModuleHandle module = nullptr;
    cuda::FunctionHandle function = nullptr;
    EXPECT_EQ(load(("fake " + std::string(entry) + " 1 0 0 8").c_str(), module), 0);
    EXPECT_EQ((*driver)->moduleGetFunction(&function, module, entry), 0);
    return function;
  }
  cuda::Result launch(cuda::FunctionHandle function, uint64_t value, cuda::StreamHandle stream = nullptr,
                      unsigned blocks = 1) {
    cuda::LaunchConfig config = {{blocks, 1, 1}, {32, 1, 1}, 0, stream, nullptr, 0};
    void *params[] = {&value};
    return (*driver)->launchKernelEx(&config, function, params, nullptr);
  }
  cuda::Result beginCapture(cuda::StreamHandle stream, int mode) {
    return call<int (*)(cuda::StreamHandle, cuda::CaptureMode)>("cuStreamBeginCapture_v2")(
        stream, static_cast<cuda::CaptureMode>(mode));
  }
  cuda::Result endCapture(cuda::StreamHandle stream, GraphHandle *graph) {
    return call<int (*)(cuda::StreamHandle, GraphHandle *)>("cuStreamEndCapture")(stream, graph);
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<ContextScope> scope;
  std::vector<cuda::ModuleHandle> modules;
};

} // namespace

TEST_F(FakeCudaTest, KernelsWriteMemoryAndTakeTime) {
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*device, 4));
  llvm::cantFail(buffer.fill(1));
  auto addOne = [](FakeLaunch &launch) {
    ++**static_cast<unsigned char **>(launch.params[0]);
    launch.milliseconds = 5;
  };
  onLaunch("add", addOne);
  EventTimer timer = llvm::cantFail(EventTimer::create(*device));
  llvm::cantFail(timer.start(nullptr));
  EXPECT_EQ(launch(getFunction("add"), buffer.getAddress()), 0);
  llvm::cantFail(timer.stop(nullptr));
  EXPECT_EQ(llvm::cantFail(timer.getMilliseconds()), 6.0f);
  uint8_t bytes[4];
  llvm::cantFail(buffer.copyTo(bytes));
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(bytes[1], 1);
}

TEST_F(FakeCudaTest, LoadsABinaryWhereTheDeviceRunsIt) {
  struct Row {
    const char *chip;
    bool onHopper, onBlackwell;
  };
  const Row rows[] = {{"sm_80", false, false},  {"sm_90", true, false},    {"sm_90a", true, false},
                      {"sm_100", false, true},  {"sm_100a", false, false}, {"sm_100f", false, true},
                      {"sm_103a", false, true}, {"sm_103f", false, true},  {"sm_120f", false, false}};
  auto blackwell = llvm::cantFail(Device::open(*driver, 1));
  for (const Row &row : rows) {
    cuda::ModuleHandle module = nullptr;
    std::string image = "fake add 1 0 0 chip=" + std::string(row.chip);
    EXPECT_EQ(load(image.c_str(), module), row.onHopper ? 0 : 209) << row.chip;
    auto inner = llvm::cantFail(blackwell->enter());
    EXPECT_EQ(load(image.c_str(), module), row.onBlackwell ? 0 : 209) << row.chip;
  }
}

TEST_F(FakeCudaTest, ChecksHandlesAndContexts) {
  cuda::FunctionHandle function = getFunction("add");
  Stream stream = llvm::cantFail(Stream::create(*device));
  for (bool isRecorded : {true, false}) {
    record(isRecorded);
    EXPECT_EQ(launch(function, 0), 0);
    EXPECT_EQ(launch(function, 0, stream.getHandle()), 0);
    EXPECT_EQ(launch(function, 0, nullptr, 0), 1);
    auto other = llvm::cantFail(Device::open(*driver, 1));
    auto inner = llvm::cantFail(other->enter());
    EXPECT_EQ(launch(function, 0), 400);
  }
  (*driver)->moduleUnload(modules.back());
  modules.pop_back();
  EXPECT_EQ(launch(function, 0), 400);
  record(true);
  EXPECT_EQ(launch(function, 0), 400);
}

TEST_F(FakeCudaTest, AFaultEndsTheUseOfTheContext) {
  auto fault = [](FakeLaunch &launch) { launch.fault = 700; };
  onLaunch("bad", fault);
  cuda::FunctionHandle function = getFunction("bad");
  EXPECT_EQ(launch(function, 0), 0);
  EXPECT_EQ((*driver)->ctxSynchronize(), 700);
  EXPECT_EQ(launch(function, 0), 700);
  cuda::DevicePointer address = 0;
  EXPECT_EQ((*driver)->memAlloc(&address, 4), 700);
  modules.clear();
  open("90");
}

TEST_F(FakeCudaTest, AHangShowsAtEventsAndWaits) {
  auto hang = [](FakeLaunch &launch) { launch.hangs = true; };
  onLaunch("hang", hang);
  cuda::FunctionHandle function = getFunction("hang");
  cuda::EventHandle event = nullptr;
  EXPECT_EQ((*driver)->eventCreate(&event, 0), 0);
  EXPECT_EQ(launch(function, 0), 0);
  EXPECT_EQ((*driver)->eventRecord(event, nullptr), 0);
  EXPECT_EQ((*driver)->eventQuery(event), cuda::notReady);
  std::thread waiter([&] {
    auto inner = llvm::cantFail(device->enter());
    EXPECT_EQ((*driver)->eventSynchronize(event), 0);
    EXPECT_EQ((*driver)->ctxSynchronize(), 0);
  });
  release();
  waiter.join();
  EXPECT_EQ((*driver)->eventQuery(event), 0);
  EXPECT_EQ((*driver)->eventDestroy(event), 0);
}

TEST_F(FakeCudaTest, CapturesLaunchesAndReplaysThem) {
  int runs = 0;
  auto count = [&](FakeLaunch &) { ++runs; };
  onLaunch("count", count);
  cuda::FunctionHandle function = getFunction("count");
  Stream stream = llvm::cantFail(Stream::create(*device));
  cuda::CaptureStatus status;
  EXPECT_EQ((*driver)->streamIsCapturing(stream.getHandle(), &status), 0);
  EXPECT_EQ(status, cuda::captureNone);
  EXPECT_EQ(beginCapture(stream.getHandle(), 0), 0);
  EXPECT_EQ((*driver)->streamIsCapturing(stream.getHandle(), &status), 0);
  EXPECT_EQ(status, cuda::captureActive);
  EXPECT_EQ(launch(function, 7, stream.getHandle()), 0);
  EXPECT_EQ(runs, 0);
  GraphHandle graph = nullptr, executable = nullptr;
  EXPECT_EQ(endCapture(stream.getHandle(), &graph), 0);
  EXPECT_EQ((call<int (*)(GraphHandle *, GraphHandle, unsigned long long)>("cuGraphInstantiateWithFlags")(
                &executable, graph, 0)),
            0);
  auto launchGraph = call<int (*)(GraphHandle, cuda::StreamHandle)>("cuGraphLaunch");
  EXPECT_EQ(launchGraph(executable, stream.getHandle()), 0);
  EXPECT_EQ(launchGraph(executable, nullptr), 0);
  EXPECT_EQ(runs, 2);
  EXPECT_THAT(log(), HasSubstr("cuGraphLaunch.node count device=0 grid=1,1,1 block=32,1,1 shared=0 "
                               "stream=default params=0700000000000000\n"));
  EXPECT_EQ(call<int (*)(GraphHandle)>("cuGraphExecDestroy")(executable), 0);
  EXPECT_EQ(call<int (*)(GraphHandle)>("cuGraphDestroy")(graph), 0);
}

TEST_F(FakeCudaTest, UnsafeCallsEndACapture) {
  cuda::FunctionHandle function = getFunction("add");
  Stream stream = llvm::cantFail(Stream::create(*device));
  cuda::DevicePointer address = 0;
  GraphHandle graph = nullptr;
  EXPECT_EQ(endCapture(stream.getHandle(), &graph), 903);
  EXPECT_EQ(beginCapture(nullptr, 0), 900);
  EXPECT_EQ(beginCapture(stream.getHandle(), 0), 0);
  EXPECT_EQ((*driver)->memAlloc(&address, 4), 900);
  cuda::CaptureStatus status;
  EXPECT_EQ((*driver)->streamIsCapturing(stream.getHandle(), &status), 0);
  EXPECT_EQ(status, cuda::captureInvalid);
  EXPECT_EQ(launch(function, 0, stream.getHandle()), 901);
  EXPECT_EQ(endCapture(stream.getHandle(), &graph), 901);
  EXPECT_EQ(beginCapture(stream.getHandle(), 0), 0);
  EXPECT_EQ(launch(function, 0), 906);
  EXPECT_EQ(endCapture(stream.getHandle(), &graph), 901);
  // A relaxed capture permits them.
  EXPECT_EQ(beginCapture(stream.getHandle(), 2), 0);
  EXPECT_EQ((*driver)->memAlloc(&address, 4), 0);
  EXPECT_EQ((*driver)->memFree(address), 0);
  EXPECT_EQ(endCapture(stream.getHandle(), &graph), 0);
  EXPECT_EQ(call<int (*)(GraphHandle)>("cuGraphDestroy")(graph), 0);
}

TEST_F(FakeCudaTest, NoticesAnUnloadDuringALaunch) {
  std::atomic<bool> isIn{false}, isDone{false};
  auto wait = [&](FakeLaunch &) {
    isIn = true;
    while (!isDone)
      std::this_thread::yield();
  };
  onLaunch("wait", wait);
  cuda::FunctionHandle function = getFunction("wait");
  std::thread launcher([&] {
    auto inner = llvm::cantFail(device->enter());
    EXPECT_EQ(launch(function, 0), 0);
  });
  while (!isIn)
    std::this_thread::yield();
  (*driver)->moduleUnload(modules.back());
  modules.pop_back();
  isDone = true;
  launcher.join();
  EXPECT_EQ(violations(), "cuModuleUnload of 'wait' during its launch\n");
  open("90");
}

TEST_F(FakeCudaTest, DelaysOnlyTheOrderedCall) {
  using Clock = std::chrono::steady_clock;
  cuda::FunctionHandle function = getFunction("add");
  delay("cuLaunchKernelEx", 20000);
  Clock::time_point start = Clock::now();
  EXPECT_EQ(launch(function, 0), 0);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
  int value = 0;
  EXPECT_EQ((*driver)->deviceGetCount(&value), 0);
}

TEST_F(FakeCudaTest, AddressesKnowTheirBufferAndDevice) {
  auto other = llvm::cantFail(Device::open(*driver, 1));
  DeviceBuffer buffer = llvm::cantFail(DeviceBuffer::allocate(*other, 100));
  cuda::DevicePointer base = 0;
  size_t bytes = 0;
  int ordinal = -1;
  EXPECT_EQ((*driver)->memGetAddressRange(&base, &bytes, buffer.getAddress() + 99), 0);
  EXPECT_EQ(base, buffer.getAddress());
  EXPECT_EQ(bytes, 100u);
  EXPECT_EQ((*driver)->pointerGetAttribute(&ordinal, cuda::pointerDeviceOrdinal, base), 0);
  EXPECT_EQ(ordinal, 1);
  EXPECT_EQ((*driver)->memGetAddressRange(&base, &bytes, 16), 500);
  EXPECT_EQ((*driver)->pointerGetAttribute(&ordinal, cuda::pointerDeviceOrdinal, 16), 1);
}

/// What `code` returns in a child of a fork.
template <typename Code> static int runInChild(Code code) {
  pid_t child = fork();
  if (child == 0)
    _exit(code());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(FakeCudaTest, TheChildOfAForkIsNotInitialized) {
  cuda::FunctionHandle function = getFunction("add");
  for (bool isRecorded : {true, false}) {
    record(isRecorded);
    EXPECT_EQ(runInChild([&] { return launch(function, 0); }), 3);
    EXPECT_EQ(runInChild([&] { return (*driver)->init(0); }), 3);
    EXPECT_EQ(launch(function, 0), 0);
  }
}

TEST_F(FakeDriverTest, AForkBeforeTheInitialisationIsHarmless) {
  reset("90");
  EXPECT_EQ(runInChild([&] { return (*driver)->init(0); }), 0);
}
