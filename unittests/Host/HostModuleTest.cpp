// Tests of host programs with embedded kernels: which code is launched where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "HostProgram.h"

#include "Tilus-c/Host.h"
#include "Tilus/Runtime/Target.h"

#include "gmock/gmock.h"
#include <thread>

using namespace tilus;
using testing::HasSubstr;

using ContextHandle = void *;

namespace {
class HostModuleTest : public HostTest {
protected:
  /// The fake's functions on contexts, which host programs call and the runtime does not.
  ContextHandle create(int device) {
    ContextHandle context = nullptr, popped;
    EXPECT_EQ(call<int (*)(ContextHandle *, unsigned, int)>("cuCtxCreate_v2")(&context, 0, device), 0);
    EXPECT_EQ(call<int (*)(ContextHandle *)>("cuCtxPopCurrent_v2")(&popped), 0);
    return context;
  }
  void destroy(ContextHandle context) {
    EXPECT_EQ(call<int (*)(ContextHandle)>("cuCtxDestroy_v2")(context), 0);
  }
  void setCurrent(ContextHandle context) {
    EXPECT_EQ(call<int (*)(ContextHandle)>("cuCtxSetCurrent")(context), 0);
  }
  unsigned countLoads() { return count("cuModuleLoadDataEx"); }
};
} // namespace

/// Each device gets the object for its chip: among several the most specific one.
TEST_F(HostModuleTest, launchesTheObjectOfEachDevice) {
  reset("80,86,90,103");
  const int expected[] = {80, 80, 90, 103};
  HostProgram program({"sm_80", "sm_90a", "sm_103a"});
  for (unsigned ordinal = 0; ordinal < 4; ++ordinal) {
    std::unique_ptr<Device> device = llvm::cantFail(Device::open(*driver, ordinal));
    ContextScope scope = llvm::cantFail(device->enter());
    EXPECT_EQ(launch(program, ordinal), expected[ordinal]) << ordinal;
  }
  EXPECT_EQ(countLoads(), 4u);
}

TEST_F(HostModuleTest, takesTheMostSpecificObject) {
  reset("90");
  HostProgram program({"sm_80", "sm_90", "sm_90a"});
  EXPECT_EQ(launch(program, 0), 90);
  EXPECT_THAT(log(), HasSubstr("increment"));
}

/// Nothing is loaded, not even the driver, before the first launch; then once.
TEST_F(HostModuleTest, loadsLazilyAndOnce) {
  HostProgram program({"sm_80", "sm_90a"});
  EXPECT_EQ(countLoads(), 0u);
  for (int turn = 0; turn < 3; ++turn)
    EXPECT_EQ(launch(program, 0), 90);
  EXPECT_EQ(countLoads(), 1u);
}

/// The error names the device, and the objects that there are.
TEST_F(HostModuleTest, saysWhatThereIsWhenNothingFits) {
  reset("75,103");
  HostProgram program({"sm_80", "sm_90a", "sm_100a"});
  EXPECT_EQ(launch(program, 0), 0);
  EXPECT_EQ(
      takeFailures(),
      "'kernels': expected a binary that runs on device 0 'Fake GPU 0' (compute capability 7.5) for kernel "
      "'increment', but got those for sm_80, sm_90a, sm_100a; compile it for sm_75\n");
  std::unique_ptr<Device> device = llvm::cantFail(Device::open(*driver, 1));
  ContextScope scope = llvm::cantFail(device->enter());
  EXPECT_EQ(launch(program, 1), 0);
  EXPECT_THAT(takeFailures(), HasSubstr("device 1 'Fake GPU 1' (compute capability 10.3)"));
}

/// Contexts of one device have modules of their own. One that takes the place of another is another.
TEST_F(HostModuleTest, loadsInEachContext) {
  HostProgram program({"sm_80", "sm_90a"});
  ContextHandle first = create(0), second = create(0);
  for (int turn = 0; turn < 2; ++turn)
    for (ContextHandle context : {first, second}) {
      setCurrent(context);
      EXPECT_EQ(launch(program, 0), 90);
      setCurrent(nullptr);
    }
  EXPECT_EQ(countLoads(), 2u);
  EXPECT_EQ(launch(program, 0), 90); // the primary one
  EXPECT_EQ(countLoads(), 3u);
  destroy(first);
  ContextHandle third = create(0);
  EXPECT_EQ(third, first);
  setCurrent(third);
  EXPECT_EQ(launch(program, 0), 90);
  setCurrent(nullptr);
  EXPECT_EQ(countLoads(), 4u);
  destroy(second);
  destroy(third);
}

/// A stream's context goes before the thread's.
TEST_F(HostModuleTest, runsInTheContextOfTheStream) {
  reset("80,90");
  HostProgram program({"sm_80", "sm_90a"});
  std::unique_ptr<Device> older = llvm::cantFail(Device::open(*driver, 0));
  std::unique_ptr<Device> newer = llvm::cantFail(Device::open(*driver, 1));
  cuda::StreamHandle stream = nullptr;
  {
    ContextScope scope = llvm::cantFail(newer->enter());
    ASSERT_EQ((*driver)->streamCreate(&stream, 0), 0);
  }
  {
    ContextScope scope = llvm::cantFail(older->enter());
    EXPECT_EQ(launch(program, 1, stream), 90);
    EXPECT_EQ(launch(program, 0), 80);
  }
  ContextScope scope = llvm::cantFail(newer->enter());
  EXPECT_EQ((*driver)->streamDestroy(stream), 0);
}

/// Threads on three devices, each of which finds its own code from the first launch on.
TEST_F(HostModuleTest, isSharedByThreads) {
  reset("80,90,103");
  const int expected[] = {80, 90, 103};
  HostProgram program({"sm_80", "sm_90a", "sm_103a"});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned number = 0; number < 9; ++number)
    threads.emplace_back([&, ordinal = number % 3] {
      std::unique_ptr<Device> device = llvm::cantFail(Device::open(*driver, ordinal));
      ContextScope scope = llvm::cantFail(device->enter());
      for (int turn = 0; turn < 50; ++turn)
        wrong += launch(program, ordinal) != expected[ordinal];
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(countLoads(), 3u);
}

/// Without a stream the launch returns when the kernel has ended, and its faults are the launch's.
TEST_F(HostModuleTest, waitsWithoutStream) {
  HostProgram program({"sm_90a"}, "0, 0, 0, 0, 0, 0", "%x : i64, %n : i64", /*isAsync=*/false);
  fail("cuStreamSynchronize", 1, 719);
  EXPECT_EQ(launch(program, 0), 90);
  EXPECT_THAT(takeFailures(), HasSubstr("CUDA_ERROR_LAUNCH_FAILED"));
  EXPECT_EQ(launch(program, 0), 90);
}

/// Sizes and arguments that the program states must be the kernel's.
TEST_F(HostModuleTest, checksSizesAndArguments) {
  EXPECT_EQ(launch(HostProgram({"sm_90a"}, "2, 1, 1, 128, 1, 1"), 0), 90);
  launch(HostProgram({"sm_90a"}, "3, 1, 1, 128, 1, 1"), 0);
  EXPECT_EQ(takeFailures(),
            "expected 2 x 1 x 1 blocks, or 0 x 0 x 0 to leave it to the kernel, in a launch of "
            "'increment', but got 3 x 1 x 1\n");
  launch(HostProgram({"sm_90a"}, "2, 1, 1, 64, 2, 1"), 0);
  EXPECT_EQ(takeFailures(),
            "expected 128 x 1 x 1 threads a block, or 0 x 0 x 0 to leave it to the kernel, in a "
            "launch of 'increment', but got 64 x 2 x 1\n");
  launch(HostProgram({"sm_90a"}, "0, 0, 0, 0, 0, 0", "%x : i64"), 0);
  EXPECT_EQ(takeFailures(),
            "expected 2 arguments of kernel 'increment', but got 1; a memref is passed as one "
            "pointer to its first element\n");
  launch(HostProgram({"sm_90a"}, "0, 0, 0, 0, 0, 0", "%stream : !llvm.ptr, %x : i64, %n : i64"), 0);
  EXPECT_THAT(takeFailures(), HasSubstr("expected 2 arguments of kernel 'increment', but got 3"));
}

/// A driver that is not there is an error at the launch, and another launch tries again.
TEST_F(HostModuleTest, needsTheDriverAtTheLaunchAlone) {
  HostProgram program({"sm_90a"});
  setenv("TILUS_CUDA_DRIVER", "/nowhere/libcuda.so", 1);
  launch(program, 0);
  EXPECT_THAT(takeFailures(), HasSubstr("/nowhere/libcuda.so"));
  setenv("TILUS_CUDA_DRIVER", TILUS_FAKE_CUDA, 1);
  EXPECT_EQ(launch(program, 0), 90);
}

/// Without a handler, the process ends with the reason.
TEST_F(HostModuleTest, endsTheProcessByDefault) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        void *runtime = dlopen(TILUS_RUNTIME_LIBRARY, RTLD_NOW);
        auto set =
            reinterpret_cast<decltype(&tilusHostSetErrorHandler)>(dlsym(runtime, "tilusHostSetErrorHandler"));
        set(nullptr, nullptr);
        launch(HostProgram({"sm_103a"}), 0);
      },
      "tilus: launch from 'kernels' failed: 'kernels': expected a binary that runs on device 0");
}

/// Programs of another version of the layout are refused.
TEST_F(HostModuleTest, refusesOtherVersions) {
  void *runtime = dlopen(TILUS_RUNTIME_LIBRARY, RTLD_NOW);
  auto start = reinterpret_cast<decltype(&tilusHostLaunch)>(dlsym(runtime, "tilusHostLaunch"));
  TilusHostBinary binary = {TILUS_HOST_ABI_VERSION + 1, "later", "x", 1, nullptr};
  TilusHostLaunch call = {};
  call.entry = "increment";
  EXPECT_EQ(start(&binary, &call), 1);
  EXPECT_EQ(takeFailures(),
            "expected a program compiled for version 1 of the launches of Tilus, but got one for "
            "version 2; compile it again\n");
  binary.version = TILUS_HOST_ABI_VERSION;
  EXPECT_EQ(start(&binary, &call), 1);
  EXPECT_THAT(takeFailures(), HasSubstr("the objects of 'later': "));
  auto release = reinterpret_cast<decltype(&tilusHostRelease)>(dlsym(runtime, "tilusHostRelease"));
  release(&binary);
  EXPECT_EQ(binary.state, nullptr);
  release(nullptr);
  EXPECT_EQ(start(nullptr, &call), 1);
  EXPECT_EQ(takeFailures(), "expected a binary and a launch, but got null\n");
}
