// Tests of modules that come and go under the dispatcher, and of captures, during which they do not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <thread>

using namespace tilus;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

TEST_F(DispatcherDeviceTest, ModulesAreLimited) {
  makeLimited(4);
  for (int round = 0; round < 3; ++round)
    for (int constant = 0; constant < 20; ++constant) {
      EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
      EXPECT_LE(modules->getLoadedCount(*devices[0]), 4u);
    }
  EXPECT_EQ(compiles, 20);
  EXPECT_EQ(launches().size(), 60u);
  EXPECT_EQ(launches()[45], "scale_sm_90a_5");
}

TEST_F(DispatcherDeviceTest, WhatIsLaunchedStaysLoaded) {
  makeLimited(4);
  for (int constant = 1; constant < 40; ++constant) {
    EXPECT_EQ(launch(makeArgs(1, 0)), "no error");
    EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
  }
  std::string text = log();
  EXPECT_EQ(llvm::StringRef(text).count("cuModuleLoadDataEx"), 40u);
}

TEST_F(DispatcherDeviceTest, TheRecordSurvivesTheUnloadingOfItsModule) {
  makeLimited(1);
  EXPECT_EQ(launch(makeArgs(1, 0)), "no error");
  std::thread([&] {
    for (int constant : {1, 2})
      EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
  }).join();
  EXPECT_EQ(launch(makeArgs(1, 0)), "no error");
  EXPECT_EQ(stats(target("sm_90a")).shortcutHits, 1u);
  EXPECT_EQ(modules->getLoadedCount(*devices[0]), 1u);
}

TEST_F(DispatcherDeviceTest, NothingIsUnloadedInTheMiddleOfALaunch) {
  makeLimited(2);
  std::atomic<bool> isRunning{false}, mayEnd{false};
  auto wait = [&](FakeLaunch &) {
    isRunning = true;
    while (!mayEnd)
      std::this_thread::yield();
  };
  onLaunch("scale_sm_90a_0", wait);
  std::thread launcher([&] { EXPECT_EQ(launch(makeArgs(1, 0)), "no error"); });
  while (!isRunning)
    std::this_thread::yield();
  for (int constant = 1; constant < 10; ++constant)
    EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
  mayEnd = true;
  launcher.join();
  EXPECT_EQ(violations(), "");
}

TEST_F(DispatcherDeviceTest, DispatchersShareTheLimit) {
  makeLimited(3);
  DispatcherOptions options = makeOptions();
  options.modules = modules;
  Dispatcher other(makeSignature(), std::move(options));
  for (int constant = 0; constant < 6; ++constant) {
    EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
    EXPECT_EQ(message(other.call(makeArgs(1, constant), {devices[0].get()})), "no error");
    EXPECT_LE(modules->getLoadedCount(*devices[0]), 3u);
  }
  dispatcher.reset();
  EXPECT_EQ(message(other.call(makeArgs(1, 5), {devices[0].get()})), "no error");
}

TEST_F(DispatcherDeviceTest, ABinaryThatDoesNotLoadIsReportedEachTime) {
  make(makeOptions());
  fail("cuModuleLoadDataEx", 1, 2);
  EXPECT_THAT(launch(makeArgs(1)), HasSubstr("expected 'cuModuleLoadDataEx' to succeed for kernel "
                                             "'scale_sm_90a_1' (sm_90a) on device 0"));
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_EQ(compiles, 1);
}

//===----------------------------------------------------------------------===//
// Captures
//===----------------------------------------------------------------------===//

TEST_F(DispatcherDeviceTest, ACapturedCallMustBeWarm) {
  make(makeOptions());
  cuda::StreamHandle stream = makeStream();
  const char *cold =
      "expected 'scale' to be compiled and loaded on device 0 'Fake GPU 0' (compute capability 9.0) "
      "before a launch of it is captured, but got its first call with this target and these "
      "arguments; make one before the capture";
  beginCapture(stream);
  EXPECT_EQ(launch(makeArgs(1), nullptr, stream), cold);
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(endCapture(stream), 0) << "the refusal has not touched the capture";
  EXPECT_EQ(launch(makeArgs(1), nullptr, stream), "no error");
  beginCapture(stream);
  EXPECT_EQ(launch(makeArgs(1), nullptr, stream), "no error");
  EXPECT_EQ(launch(makeArgs(1, 2), nullptr, stream), cold);
  // Another tuning key, for which there is nothing to choose.
  EXPECT_EQ(launch(makeArgs(1 << 20), nullptr, stream), "no error");
  EXPECT_EQ(endCapture(stream, /*isLaunched=*/true), 0);
}

TEST_F(DispatcherDeviceTest, UnloadedIsColdInACapture) {
  makeLimited(1);
  cuda::StreamHandle stream = makeStream();
  EXPECT_EQ(launch(makeArgs(1, 0), nullptr, stream), "no error");
  std::thread([&] { EXPECT_EQ(launch(makeArgs(1, 1)), "no error"); }).join();
  beginCapture(stream);
  EXPECT_THAT(launch(makeArgs(1, 0), nullptr, stream), HasSubstr("before a launch of it is captured"));
  EXPECT_EQ(endCapture(stream), 0);
}

TEST_F(DispatcherDeviceTest, NothingIsUnloadedDuringACapture) {
  makeLimited(2);
  cuda::StreamHandle stream = makeStream();
  for (int constant : {0, 1})
    EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
  beginCapture(stream);
  EXPECT_EQ(launch(makeArgs(1, 0), nullptr, stream), "no error");
  // Pressure from another thread, and a kernel that the capture reaches only afterwards.
  std::thread([&] {
    for (int constant = 2; constant < 12; ++constant)
      EXPECT_EQ(launch(makeArgs(1, constant), nullptr, makeStream()), "no error");
  }).join();
  EXPECT_EQ(modules->getLoadedCount(*devices[0]), 12u);
  EXPECT_EQ(launch(makeArgs(1, 1), nullptr, stream), "no error");
  EXPECT_EQ(endCapture(stream, /*isLaunched=*/true), 0);
  // Afterwards the limit holds again, but for what the graph needs.
  for (int constant = 12; constant < 30; ++constant)
    EXPECT_EQ(launch(makeArgs(1, constant)), "no error");
  EXPECT_LE(modules->getLoadedCount(*devices[0]), 4u);
  std::string before = log();
  EXPECT_EQ(launch(makeArgs(1, 0)), "no error");
  EXPECT_EQ(launch(makeArgs(1, 1)), "no error");
  std::string after = log();
  EXPECT_EQ(llvm::StringRef(after).count("cuModuleLoad"), llvm::StringRef(before).count("cuModuleLoad"));
}
