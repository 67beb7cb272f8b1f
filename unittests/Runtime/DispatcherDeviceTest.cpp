// Tests of the dispatcher with devices: several of them, contexts, streams, forks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// Targets and devices
//===----------------------------------------------------------------------===//

/// Whether a cubin runs, by the vendor's rule: the same major capability and up, an `a` on its own chip
/// alone, an `f` in its family.
static bool canRun(int chip, char suffix, int device) {
  return suffix == 'a' ? chip == device : chip / 10 == device / 10 && chip <= device;
}

TEST_F(DispatcherDeviceTest, EachTableOnEachDeviceLaunchesItsOwnOrRefuses) {
  open("75,80,86,90,90,100,103,120");
  const int capabilities[] = {75, 80, 86, 90, 90, 100, 103, 120};
  const std::tuple<const char *, int, char> targets[] = {{"sm_80", 80, 0},      {"sm_86", 86, 0},
                                                         {"sm_90a", 90, 'a'},   {"sm_100a", 100, 'a'},
                                                         {"sm_100f", 100, 'f'}, {"sm_120", 120, 0}};
  make(makeOptions());
  unsigned launched = 0;
  // Twice, so that each pair is tried cold and warm.
  for (int round = 0; round < 2; ++round)
    for (auto [name, chip, suffix] : targets)
      for (unsigned device = 0; device < 8; ++device) {
        std::string text = launch(makeArgs(1), &target(name), nullptr, device);
        if (!canRun(chip, suffix, capabilities[device])) {
          EXPECT_THAT(text, HasSubstr("expected a ")) << name << " on " << device;
          EXPECT_THAT(text, HasSubstr(devices[device]->describe()));
          EXPECT_THAT(text, HasSubstr(name));
          continue;
        }
        EXPECT_EQ(text, "no error") << name << " on " << device;
        ++launched;
        EXPECT_THAT(log(), testing::EndsWith("cuLaunchKernelEx scale_" + std::string(name) +
                                             "_1 device=" + std::to_string(device) +
                                             " grid=1,1,1 block=128,1,1 shared=0 stream=default "
                                             "params=01000000,0000c03f,0010000000000000\n"));
      }
  EXPECT_EQ(launches().size(), launched);
  EXPECT_EQ(launched, 2 * (2 + 1 + 2 + 1 + 2 + 1));
}

TEST_F(DispatcherDeviceTest, ACallRunsOnItsDeviceAndLeavesTheCurrentOne) {
  open("90,90");
  make(makeOptions());
  ContextScope scope = llvm::cantFail(devices[0]->enter());
  for (unsigned device : {1u, 1u, 0u, 1u}) {
    EXPECT_EQ(launch(makeArgs(1), nullptr, nullptr, device), "no error");
    cuda::ContextHandle current = nullptr;
    EXPECT_EQ((*driver)->ctxGetCurrent(&current), 0);
    EXPECT_EQ(current, devices[0]->getContext());
    std::string text = log();
    EXPECT_THAT(text.substr(text.rfind("cuLaunchKernelEx")), HasSubstr("device=" + std::to_string(device)));
  }
  EXPECT_EQ(compiles, 1);
}

TEST_F(DispatcherDeviceTest, AThreadWithoutAContextLaunches) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  std::thread([&] {
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(launch(makeArgs(1)), "no error");
    cuda::ContextHandle current = nullptr;
    EXPECT_EQ((*driver)->ctxGetCurrent(&current), 0);
    EXPECT_EQ(current, nullptr);
  }).join();
  EXPECT_EQ(launches().size(), 4u);
}

TEST_F(DispatcherDeviceTest, TheStreamOfEachCallIsItsOwn) {
  make(makeOptions());
  cuda::StreamHandle stream = makeStream();
  for (cuda::StreamHandle each : {stream, cuda::StreamHandle(nullptr), stream})
    EXPECT_EQ(launch(makeArgs(1), nullptr, each), "no error");
  EXPECT_EQ(stats(target("sm_90a")).shortcutHits, 2u);
  std::string text = log();
  EXPECT_EQ(llvm::StringRef(text).count("stream=own"), 2u);
  EXPECT_EQ(llvm::StringRef(text).count("stream=default"), 1u);
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

/// Runs a function in a child; true if it came back with true in time.
template <typename Function> static bool succeedsInChild(Function function) {
  pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(function() ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(DispatcherDeviceTest, AForkedChildCompilesButDoesNotLaunch) {
  make(makeOptions());
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  const char *refusal =
      "expected a launch of 'scale' in the process that initialised CUDA, but got one in a child "
      "that was forked from it; start the child anew, or fork before CUDA is first used";
  EXPECT_TRUE(succeedsInChild([&] {
    bool isRefused = launch(makeArgs(1)) == refusal && launch(makeArgs(1, 2)) == refusal;
    llvm::Expected<const JitInstance *> instance = dispatcher->compile(makeArgs(1, 3), &target("sm_103a"));
    return isRefused && instance && (*instance)->candidates[0].artifact->entry == "scale_sm_103a_3";
  }));
  EXPECT_EQ(launch(makeArgs(1)), "no error");
}

/// Modules come and go in other threads, which the child may find in the middle of that.
TEST_F(DispatcherDeviceTest, AForkedChildEndsItsDispatcher) {
  makeLimited(2);
  std::atomic<bool> isOver{false};
  std::atomic<int> launched{0};
  std::vector<std::thread> busy;
  for (int index = 0; index < 3; ++index)
    busy.emplace_back([&, index] {
      for (int i = 0; !isOver; ++i, ++launched)
        EXPECT_EQ(launch(makeArgs(1, (index + i) % 7)), "no error");
    });
  while (launched < 30)
    std::this_thread::yield();
  for (int i = 0; i < 30; ++i)
    EXPECT_TRUE(succeedsInChild([&] {
      bool isRefused = launch(makeArgs(1, i)).find("forked") != std::string::npos;
      dispatcher.reset();
      modules.reset();
      return isRefused && message(Device::open(*driver, 0)).find("forked") != std::string::npos;
    }));
  isOver = true;
  for (std::thread &thread : busy)
    thread.join();
}

TEST_F(DispatcherDeviceTest, AForkInTheMiddleOfThingsLeavesTheChildWhole) {
  DispatcherOptions options = makeOptions();
  std::atomic<bool> isCompiling{false}, mayEnd{false};
  std::thread::id parent = std::this_thread::get_id();
  CompileFunction compile = options.compile;
  options.compile = [&](const CompileRequest &request) {
    isCompiling = true;
    while (std::this_thread::get_id() != parent && !mayEnd)
      std::this_thread::yield();
    return compile(request);
  };
  make(std::move(options));
  std::thread compiler([&] { EXPECT_EQ(launch(makeArgs(1)), "no error"); });
  while (!isCompiling)
    std::this_thread::yield();
  // One thread compiles; others go in and out of all locks.
  std::atomic<bool> isOver{false};
  std::vector<std::thread> busy;
  for (int index = 0; index < 3; ++index)
    busy.emplace_back([&, index] {
      for (int i = 0; !isOver; ++i) {
        const Target &some = Target::get(allTargets()[i % allTargets().size()], i % 2 ? "+x" : "");
        llvm::consumeError(dispatcher->compile(makeArgs(1, 1000 * index + i), &some).takeError());
        dispatcher->stats();
      }
    });
  mayEnd = true;
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(succeedsInChild([&] {
      // Also the instance that a thread of the parent was compiling, maybe.
      for (int64_t constant : {1, 7})
        if (llvm::Error error = dispatcher->compile(makeArgs(1, constant), &target("sm_90a")).takeError())
          return false;
      bool hasStats = !dispatcher->stats().empty();
      dispatcher.reset();
      return hasStats;
    }));
  isOver = true;
  compiler.join();
  for (std::thread &thread : busy)
    thread.join();
}
