// Tests of the dispatcher on devices, with a kernel written in PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GPUFixture.h"
#include "Tilus/Runtime/Dispatcher.h"
#include "Tilus/Runtime/EventTimer.h"

#include "gmock/gmock.h"
#include <dlfcn.h>

using namespace tilus;
using testing::HasSubstr;

namespace {
/// `count(x: pointer to i32)`: adds 1 to the one element.
const char *countPTX = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry count(.param .u64 x) {
  .reg .b32 %v;
  .reg .b64 %x;
  ld.param.u64 %x, [x];
  cvta.to.global.u64 %x, %x;
  ld.global.u32 %v, [%x];
  add.u32 %v, %v, 1;
  st.global.u32 [%x], %v;
  ret;
}
)";

llvm::Expected<std::vector<Candidate>> compileCount(const CompileRequest &request) {
  auto artifact = std::make_shared<KernelArtifact>();
  artifact->entry = "count";
  artifact->chip = request.target.getChip().str();
  artifact->ptx = countPTX;
  artifact->blockThreads = 1;
  artifact->params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 4}};
  return std::vector<Candidate>{{artifact, "hash", "only"}};
}

class DispatcherGPUTest : public GPUTest {
protected:
  Dispatcher makeDispatcher() {
    DispatcherOptions options;
    options.compile = compileCount;
    return {llvm::cantFail(CallSignature::create("count", {{"x", CallParam::Kind::Pointer, 0}})), options};
  }
  static CallValue point(const DeviceBuffer &buffer, const Device &owner) {
    return CallValue::getPointer(buffer.getAddress(), buffer.getBytes(), owner.getOrdinal());
  }
};
} // namespace

/// Device 0 is current, the tensor lies on device 1: the call runs where it is told to, and says so where
/// that does not fit.
TEST_F(DispatcherGPUTest, RunsOnTheDeviceOfTheTensors) {
  if (llvm::cantFail(Device::count(*driver)) < 2)
    GTEST_SKIP() << "needs two devices";
  auto second = llvm::cantFail(Device::open(*driver, 1));
  DeviceBuffer there = llvm::cantFail(DeviceBuffer::allocate(*second, sizeof(int32_t)));
  llvm::cantFail(there.fill(0));
  llvm::cantFail(second->synchronize());
  Dispatcher dispatcher = makeDispatcher();
  ContextScope current = llvm::cantFail(device->enter());

  for (int call = 0; call < 3; ++call)
    llvm::cantFail(dispatcher.call({point(there, *second)}, {second.get()}));
  cuda::ContextHandle context = nullptr;
  ASSERT_EQ((*driver)->ctxGetCurrent(&context), cuda::success);
  EXPECT_EQ(context, device->getContext());
  llvm::cantFail(second->synchronize());
  int32_t value = 0;
  llvm::cantFail(there.copyTo(llvm::MutableArrayRef(reinterpret_cast<uint8_t *>(&value), sizeof(value))));
  EXPECT_EQ(value, 3);

  std::string refusal = llvm::toString(dispatcher.call({point(there, *second)}, {device.get()}));
  EXPECT_THAT(refusal, HasSubstr("'x'"));
  EXPECT_THAT(refusal, HasSubstr("device 1"));

  DeviceBuffer here = upload(std::vector<int32_t>(1));
  llvm::cantFail(dispatcher.call({point(here, *device)}, {device.get()}));
  EXPECT_EQ(download<int32_t>(here), std::vector<int32_t>{1});
}

/// Under capture a cold kernel is refused before the stream is touched, a warm one is captured and replayed.
TEST_F(DispatcherGPUTest, CapturesWarmKernelsAlone) {
  void *library = dlopen(driver->getPath().str().c_str(), RTLD_NOW);
  auto find = [&](const char *name, auto &function) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  int (*begin)(cuda::StreamHandle, cuda::CaptureMode), (*end)(cuda::StreamHandle, void **);
  int (*instantiate)(void **, void *, unsigned long long), (*replay)(void *, cuda::StreamHandle);
  ASSERT_TRUE(find("cuStreamBeginCapture_v2", begin) && find("cuStreamEndCapture", end) &&
              find("cuGraphInstantiateWithFlags", instantiate) && find("cuGraphLaunch", replay));
  Dispatcher dispatcher = makeDispatcher();
  Stream stream = llvm::cantFail(Stream::create(*device));
  DeviceBuffer x = upload(std::vector<int32_t>(1));
  ContextScope current = llvm::cantFail(device->enter());

  ASSERT_EQ(begin(stream.getHandle(), cuda::captureGlobal), 0);
  std::string refusal =
      llvm::toString(dispatcher.call({point(x, *device)}, {device.get(), stream.getHandle()}));
  EXPECT_THAT(refusal, HasSubstr("captur"));
  void *graph = nullptr;
  ASSERT_EQ(end(stream.getHandle(), &graph), 0) << "the refusal ended the capture";

  llvm::cantFail(dispatcher.call({point(x, *device)}, {device.get(), stream.getHandle()}));
  llvm::cantFail(device->synchronize());
  EXPECT_EQ(download<int32_t>(x), std::vector<int32_t>{1});

  ASSERT_EQ(begin(stream.getHandle(), cuda::captureGlobal), 0);
  llvm::cantFail(dispatcher.call({point(x, *device)}, {device.get(), stream.getHandle()}));
  ASSERT_EQ(end(stream.getHandle(), &graph), 0);
  void *executable = nullptr;
  ASSERT_EQ(instantiate(&executable, graph, 0), 0);
  for (int run = 0; run < 2; ++run)
    ASSERT_EQ(replay(executable, stream.getHandle()), 0);
  llvm::cantFail(device->synchronize());
  EXPECT_EQ(download<int32_t>(x), std::vector<int32_t>{3});
}

/// A binary that the device cannot run is refused by name before the driver sees it.
TEST_F(DispatcherGPUTest, RefusesForeignBinaries) {
  Dispatcher dispatcher = makeDispatcher();
  DeviceBuffer x = upload(std::vector<int32_t>(1));
  const Target &newer = *llvm::cantFail(Target::lookup("sm_121a"));
  std::string refusal = llvm::toString(dispatcher.call({point(x, *device)}, {device.get(), nullptr, &newer}));
  if (device->getDefaultTarget() == &newer)
    GTEST_SKIP() << device->describe() << " runs it";
  EXPECT_THAT(refusal, HasSubstr("sm_121a"));
  EXPECT_THAT(refusal, HasSubstr(device->getName().str()));
}
