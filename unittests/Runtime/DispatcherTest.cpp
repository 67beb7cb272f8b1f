// Tests of the dispatcher: paths, targets and errors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <cstring>
#include <thread>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Paths
//===----------------------------------------------------------------------===//

TEST_F(DispatcherTest, ACallTakesTheShortestPath) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(4097)), "no error");
  EXPECT_EQ(launch(makeArgs(4097)), "no error");
  EXPECT_EQ(launch(makeArgs(4098)), "no error"); // the same tuning key
  EXPECT_EQ(launch(makeArgs(1 << 20)), "no error");
  EXPECT_EQ(launch(makeArgs(4097, 2)), "no error"); // another constant
  EXPECT_EQ(compiles, 2);
  TargetStats row = stats(target("sm_90a"));
  EXPECT_EQ(row.instances, 2u);
  EXPECT_EQ(row.entries, 3u);
  EXPECT_EQ(row.shortcutHits, 1u);
  EXPECT_EQ(row.tableHits, 1u);
  EXPECT_EQ(row.slowCalls, 3u);
  std::string head = "cuLaunchKernelEx scale_sm_90a_1 device=0 grid=";
  EXPECT_EQ(log(), "cuModuleLoadDataEx device=0\n" + head +
                       "5,1,1 block=128,1,1 shared=0 stream=default params=01100000,0000c03f,"
                       "0010000000000000\n" +
                       head +
                       "5,1,1 block=128,1,1 shared=0 stream=default params=01100000,0000c03f,"
                       "0010000000000000\n" +
                       head +
                       "5,1,1 block=128,1,1 shared=0 stream=default params=02100000,0000c03f,"
                       "0010000000000000\n" +
                       head +
                       "1024,1,1 block=128,1,1 shared=0 stream=default params=00001000,0000c03f,"
                       "0010000000000000\n"
                       "cuModuleLoadDataEx device=0\n"
                       "cuLaunchKernelEx scale_sm_90a_2 device=0 grid=5,1,1 block=128,1,1 shared=0 "
                       "stream=default params=01100000,0000c03f,0010000000000000\n");
}

TEST_F(DispatcherTest, TheCurrentTargetIsFollowed) {
  open("103");
  make(makeOptions());
  for (const char *chip : {"sm_103", "sm_103a", "sm_103", "sm_100"}) {
    TargetScope scope(target(chip));
    EXPECT_EQ(launch(makeArgs(1)), "no error");
    EXPECT_EQ(launch(makeArgs(1)), "no error");
  }
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_EQ(launch(makeArgs(1), &target("sm_103f")), "no error");
  EXPECT_THAT(launches(), ElementsAre("scale_sm_103_1", "scale_sm_103_1", "scale_sm_103a_1",
                                      "scale_sm_103a_1", "scale_sm_103_1", "scale_sm_103_1", "scale_sm_100_1",
                                      "scale_sm_100_1", "scale_sm_103a_1", "scale_sm_103f_1"));
  EXPECT_EQ(compiles, 4);
  EXPECT_EQ(stats(target("sm_103")).shortcutHits, 2u);
  EXPECT_EQ(stats(target("sm_103")).tableHits, 1u);
}

TEST_F(DispatcherTest, CompilesForAnyTargetWithoutADevice) {
  open("75");
  make(makeOptions());
  std::vector<const JitInstance *> instances;
  for (const char *chip : {"sm_90a", "sm_103a", "sm_90a", "sm_90", "sm_103"}) {
    TargetScope scope(target(chip));
    instances.push_back(llvm::cantFail(dispatcher->compile(makeArgs(1))));
    EXPECT_EQ(instances.back()->candidates[0].artifact->chip, chip);
  }
  EXPECT_EQ(instances[0], instances[2]);
  EXPECT_EQ(std::set<const JitInstance *>(instances.begin(), instances.end()).size(), 4u);
  EXPECT_EQ(compiles, 4);
  EXPECT_EQ(message(dispatcher->compile(makeArgs(1))),
            "expected a target to compile 'scale' for, but got none; name one by a scope");
}

TEST_F(DispatcherTest, AnEmptyGridIsNoLaunch) {
  make(makeOptions());
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(launch(makeArgs(0)), "no error");
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_EQ(launches().size(), 1u);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST_F(DispatcherTest, ArgumentsAreChecked) {
  make(makeOptions());
  std::vector<CallValue> args = makeArgs(1);
  EXPECT_EQ(launch(llvm::ArrayRef(args).drop_back()), "expected 4 arguments for 'scale', but got 3");
  args[1] = CallValue::getFloat(1);
  EXPECT_EQ(launch(args), "expected an integer for parameter 'n' of 'scale', but got a real number");
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(launch(makeArgs(int64_t(1) << 32)),
            "expected a value of type i32 for parameter 'n' of kernel 'scale_sm_90a_1', but got 4294967296");
  EXPECT_EQ(launch(makeArgs(1, 1, 0x1008)), "expected an address aligned to 16 bytes for parameter 'x' of "
                                            "kernel 'scale_sm_90a_1', but got 0x1008");
  EXPECT_EQ(launch(makeArgs(-4096)),
            "expected a grid size x from 0 to 2147483647 for kernel 'scale_sm_90a_1', but got -4");
  // A call that failed is not repeated.
  EXPECT_THAT(launch(makeArgs(-4096)), HasSubstr("grid size"));
  EXPECT_EQ(message(dispatcher->call(makeArgs(1), {})),
            "expected a device for a call of 'scale', but got none");
  EXPECT_EQ(launches().size(), 0u);
}

TEST_F(DispatcherTest, ArgumentsOnOtherDevicesAreNamedBeforeCompiling) {
  open("90,90");
  CallSignature signature = llvm::cantFail(
      CallSignature::create("copy", {{"from", CallParam::Kind::Pointer}, {"to", CallParam::Kind::Pointer}}));
  dispatcher = std::make_unique<Dispatcher>(signature, makeOptions());
  auto on = [](unsigned device) { return CallValue::getPointer(0x1000, 64, device); };
  EXPECT_EQ(launch({on(0), on(1)}),
            "expected a pointer to device 0 like parameter 'from' for parameter 'to' of "
            "'copy', but got one to device 1");
  EXPECT_EQ(launch({on(1), on(1)}), "expected a pointer to device 0, on which the call runs, for parameter "
                                    "'from' of 'copy', but got one to device 1");
  EXPECT_EQ(launch({on(0), on(CallValue::hostMemory)}),
            "expected a pointer to the memory of a device for parameter 'to' of 'copy', but got one to the "
            "memory of the host");
  EXPECT_EQ(compiles, 0);
  EXPECT_EQ(llvm::cantFail(signature.findDevice({on(1), on(1)})), std::optional<unsigned>(1));
  EXPECT_EQ(llvm::cantFail(signature.findDevice({CallValue::getPointer(8), CallValue::getNone()})),
            std::nullopt);
}

TEST_F(DispatcherTest, ATargetThatTheDeviceCannotRunIsRefusedByName) {
  make(makeOptions());
  EXPECT_EQ(
      launch(makeArgs(1), &target("sm_100a")),
      "expected a target whose code runs on device 0 'Fake GPU 0' (compute capability 9.0) for 'scale', but "
      "got sm_100a; compile it for sm_90a");
  EXPECT_EQ(compiles, 0);
  EXPECT_THAT(launch(makeArgs(1), &target("sm_80")),
              HasSubstr("but got a cubin for sm_80; compile it for sm_90a"));
  EXPECT_EQ(log(), "");
}

TEST_F(DispatcherTest, AFailureToCompileIsReportedAndTriedAgain) {
  DispatcherOptions options = makeOptions();
  bool isBroken = true;
  options.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    ++compiles;
    if (isBroken)
      return llvm::createStringError("no such luck");
    return std::vector<Candidate>{makeCandidate(request.target, "scale")};
  };
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1)), "no such luck");
  EXPECT_EQ(launch(makeArgs(1)), "no such luck");
  isBroken = false;
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_EQ(compiles, 3);
}

TEST_F(DispatcherTest, WhatTheCompileFunctionGivesIsChecked) {
  DispatcherOptions options = makeOptions();
  std::vector<Candidate> given;
  options.compile = [&](const CompileRequest &) { return llvm::Expected<std::vector<Candidate>>(given); };
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1)), "expected at least one compiled kernel of 'scale' for sm_90a, but got none");
  given = {makeCandidate(target("sm_90"), "scale")};
  EXPECT_EQ(launch(makeArgs(1)), "expected a kernel compiled for sm_90a of 'scale', but got one for sm_90");
  KernelArtifact artifact = *makeCandidate(target("sm_90a"), "scale").artifact;
  std::swap(artifact.params[0], artifact.params[1]);
  given[0].artifact = std::make_shared<KernelArtifact>(artifact);
  EXPECT_EQ(launch(makeArgs(1)), "expected an integer for parameter 'n' of kernel 'scale', but got a float");
  artifact.params.pop_back();
  given[0].artifact = std::make_shared<KernelArtifact>(artifact);
  EXPECT_EQ(launch(makeArgs(1)), "expected 3 parameters, those of 'scale', of kernel 'scale', but got 2");
}

TEST_F(DispatcherTest, AFailedLaunchIsNotRecorded) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  fail("cuLaunchKernelEx", 1, 1);
  EXPECT_THAT(launch(makeArgs(2)), HasSubstr("expected 'cuLaunchKernelEx' to succeed for kernel "
                                             "'scale_sm_90a_1' on device 0"));
  // The former record went too, for its parameters are overwritten.
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_THAT(log(), testing::EndsWith("params=01000000,0000c03f,0010000000000000\n"));
  EXPECT_EQ(launch(makeArgs(2)), "no error");
  EXPECT_THAT(log(), testing::EndsWith("params=02000000,0000c03f,0010000000000000\n"));
  EXPECT_EQ(stats(target("sm_90a")).shortcutHits, 0u);
}

/// Values that come from C may have any tag, also one that looks like another in its low bits.
TEST_F(DispatcherTest, RefusesValuesWithoutAKind) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  for (unsigned index : {0, 1, 2, 3})
    for (unsigned change : {0x20, 0x40, 0x80, 0xe0}) {
      std::vector<CallValue> args = makeArgs(1);
      char bytes[sizeof(CallValue)];
      std::memcpy(bytes, &args[index], sizeof(bytes));
      bytes[8] ^= static_cast<char>(change);
      std::memcpy(static_cast<void *>(&args[index]), bytes, sizeof(bytes));
      ASSERT_EQ(unsigned(args[index].getTag()) & change, change);
      EXPECT_THAT(launch(args), testing::HasSubstr("but got no value")) << index << " " << change;
    }
  EXPECT_EQ(launches().size(), 1u);
}

TEST_F(DispatcherTest, CountersNeverGoBack) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  std::atomic<bool> isOver{false};
  // Threads that end hand their counts over.
  std::thread spawner([&] {
    while (!isOver)
      std::thread([&] {
        for (int i = 0; i < 20; ++i)
          EXPECT_EQ(launch(makeArgs(1)), "no error");
      }).join();
  });
  uint64_t last = 0, decreases = 0;
  for (int i = 0; i < 100000 && last < 4000; ++i) {
    TargetStats row = stats(target("sm_90a"));
    uint64_t sum = row.shortcutHits + row.tableHits + row.slowCalls;
    decreases += sum < last;
    last = sum;
  }
  isOver = true;
  spawner.join();
  EXPECT_EQ(decreases, 0u);
}
