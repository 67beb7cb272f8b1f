// Tests of the dispatcher when the world changes in the middle of a call: the current target, other threads,
// calls from within calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <thread>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

//===----------------------------------------------------------------------===//
// The current target
//===----------------------------------------------------------------------===//

TEST_F(DispatcherTest, ATargetChangedInTheCompileFunctionHoldsFromTheNextCallOn) {
  DispatcherOptions options = makeOptions();
  std::unique_ptr<TargetScope> change;
  CompileFunction compile = options.compile;
  options.compile = [&](const CompileRequest &request) {
    if (!change)
      change = std::make_unique<TargetScope>(target("sm_90"));
    return compile(request);
  };
  make(std::move(options));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(launch(makeArgs(1)), "no error");
  change.reset();
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_THAT(launches(), ElementsAre("scale_sm_90a_1", "scale_sm_90_1", "scale_sm_90_1", "scale_sm_90a_1"));
  EXPECT_EQ(compiles, 2);
  EXPECT_EQ(stats(target("sm_90a")).entries, 1u);
  EXPECT_EQ(stats(target("sm_90")).entries, 1u);
}

TEST_F(DispatcherTest, ATargetChangedInAHookHoldsFromTheNextCallOn) {
  for (bool isBefore : {true, false}) {
    open("90");
    DispatcherOptions options = makeOptions();
    std::unique_ptr<TargetScope> change;
    std::vector<DispatchPath> paths;
    auto hook = [&](const LaunchInfo &info) {
      paths.push_back(info.path);
      if (!change)
        change = std::make_unique<TargetScope>(target("sm_90"));
    };
    (isBefore ? options.beforeLaunch : options.afterLaunch) = hook;
    make(std::move(options));
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(launch(makeArgs(1)), "no error");
    change.reset();
    EXPECT_EQ(launch(makeArgs(1)), "no error");
    EXPECT_THAT(launches(),
                ElementsAre("scale_sm_90a_1", "scale_sm_90_1", "scale_sm_90_1", "scale_sm_90a_1"));
    EXPECT_THAT(paths, ElementsAre(DispatchPath::Slow, DispatchPath::Slow, DispatchPath::Shortcut,
                                   DispatchPath::Table));
    change.reset();
  }
}

TEST_F(DispatcherTest, AScopeOfAnotherThreadMeansNothingHere) {
  make(makeOptions());
  std::atomic<int> step{0};
  std::thread other([&] {
    TargetScope scope(target("sm_90"));
    EXPECT_EQ(launch(makeArgs(1)), "no error");
    step = 1;
    while (step != 2)
      std::this_thread::yield();
    EXPECT_EQ(launch(makeArgs(1)), "no error");
  });
  while (step != 1)
    std::this_thread::yield();
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  step = 2;
  other.join();
  EXPECT_THAT(launches(), ElementsAre("scale_sm_90_1", "scale_sm_90a_1", "scale_sm_90_1"));
  // Another thread's launch has not evicted the record.
  EXPECT_EQ(stats(target("sm_90")).shortcutHits, 1u);
}

//===----------------------------------------------------------------------===//
// Calls within calls
//===----------------------------------------------------------------------===//

TEST_F(DispatcherTest, HooksMayCall) {
  DispatcherOptions options = makeOptions();
  int depth = 0;
  auto hook = [&](const LaunchInfo &) {
    if (depth++ == 0)
      EXPECT_EQ(launch(makeArgs(2048, 2, 0x2000)), "no error");
    --depth;
  };
  options.beforeLaunch = options.afterLaunch = hook;
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  EXPECT_EQ(launch(makeArgs(1)), "no error");
  const char *outer = "scale_sm_90a_1", *inner = "scale_sm_90a_2";
  EXPECT_THAT(launches(), ElementsAre(inner, outer, inner, inner, outer, inner));
  EXPECT_THAT(log(), HasSubstr("scale_sm_90a_1 device=0 grid=1,1,1 block=128,1,1 shared=0 stream=default "
                               "params=01000000,0000c03f,0010000000000000\n"));
  EXPECT_THAT(log(), HasSubstr("scale_sm_90a_2 device=0 grid=2,1,1 block=128,1,1 shared=0 stream=default "
                               "params=00080000,0000c03f,0020000000000000\n"));
}

TEST_F(DispatcherTest, TheCompileFunctionMayCallForOtherKeys) {
  DispatcherOptions options = makeOptions();
  CompileFunction compile = options.compile;
  options.compile = [&](const CompileRequest &request) {
    if (request.args[0].getInt() > 0)
      EXPECT_EQ(launch(makeArgs(1, request.args[0].getInt() - 1)), "no error");
    return compile(request);
  };
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1, 2)), "no error");
  EXPECT_THAT(launches(), ElementsAre("scale_sm_90a_0", "scale_sm_90a_1", "scale_sm_90a_2"));
}

TEST_F(DispatcherTest, ACompileFunctionThatAsksForItselfIsAnError) {
  DispatcherOptions options = makeOptions();
  std::string call, compile;
  options.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    call = launch(makeArgs(1));
    compile = message(dispatcher->compile(makeArgs(1), &request.target));
    return llvm::createStringError("never mind");
  };
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1)), "never mind");
  EXPECT_EQ(call,
            "expected the making of the entry of 'scale' for sm_90a not to ask for itself, but got a request "
            "for it from its own maker");
  EXPECT_EQ(compile,
            "expected the making of 'scale' for sm_90a not to ask for itself, but got a request for it "
            "from its own maker");
}

TEST_F(DispatcherTest, TwoCompilesThatWaitForOneAnotherAreAnError) {
  DispatcherOptions options = makeOptions();
  std::atomic<int> begun{0};
  CompileFunction compile = options.compile;
  options.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    int64_t own = request.args[0].getInt();
    ++begun;
    while (begun < 2)
      std::this_thread::yield();
    llvm::Expected<const JitInstance *> other = dispatcher->compile(makeArgs(1, 3 - own), &request.target);
    if (!other)
      return other.takeError();
    return compile(request);
  };
  make(std::move(options));
  std::string messages[2];
  std::thread first([&] { messages[0] = launch(makeArgs(1, 1)); });
  std::thread second([&] { messages[1] = launch(makeArgs(1, 2)); });
  first.join();
  second.join();
  // One of the two sees the circle; the other one is told of its failure.
  for (const std::string &text : messages)
    EXPECT_THAT(text, HasSubstr("not to ask for itself"));
}

TEST_F(DispatcherTest, TwoDispatchersThatWaitForOneAnotherAreAnError) {
  std::unique_ptr<Dispatcher> pair[2];
  std::atomic<int> begun{0};
  auto makeOne = [&](int own) {
    DispatcherOptions options;
    options.compile = [&, own](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
      ++begun;
      while (begun < 2)
        std::this_thread::yield();
      return pair[1 - own]->compile(makeArgs(1), &request.target).takeError();
    };
    return std::make_unique<Dispatcher>(makeSignature(), std::move(options));
  };
  for (int index : {0, 1})
    pair[index] = makeOne(index);
  std::string messages[2];
  std::vector<std::thread> threads;
  for (int index : {0, 1})
    threads.emplace_back(
        [&, index] { messages[index] = message(pair[index]->compile(makeArgs(1), &target("sm_90a"))); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &text : messages)
    EXPECT_THAT(text, HasSubstr("not to ask for itself"));
}

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// Runs a function on that many threads at about the same time.
template <typename Function> static void runOnThreads(int count, Function function) {
  std::atomic<int> ready{0};
  std::vector<std::thread> threads;
  for (int index = 0; index < count; ++index)
    threads.emplace_back([&, index] {
      ++ready;
      while (ready < count)
        std::this_thread::yield();
      function(index);
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(DispatcherTest, ColdThreadsCompileChooseAndLoadOnce) {
  DispatcherOptions options;
  std::atomic<int> choices{0};
  options.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    ++compiles;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return std::vector<Candidate>{makeCandidate(request.target, "first"),
                                  makeCandidate(request.target, "second")};
  };
  options.choose = [&](const ChooseRequest &request) -> llvm::Expected<unsigned> {
    ++choices;
    EXPECT_EQ(request.values.size(), 3u);
    EXPECT_EQ(request.values[2].code, 0x1000u);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return 1;
  };
  make(std::move(options));
  runOnThreads(8, [&](int) { EXPECT_EQ(launch(makeArgs(1)), "no error"); });
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(choices, 1);
  EXPECT_THAT(launches(), testing::AllOf(testing::SizeIs(8), testing::Each("second")));
  // Another tuning key: chosen anew, compiled no more.
  EXPECT_EQ(launch(makeArgs(1 << 20)), "no error");
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(choices, 2);
  std::string text = log();
  EXPECT_EQ(llvm::StringRef(text).count("cuModuleLoadDataEx"), 1u);
}

TEST_F(DispatcherTest, AFailureReachesAllWhoWait) {
  DispatcherOptions options;
  options.compile = [&](const CompileRequest &) -> llvm::Expected<std::vector<Candidate>> {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return llvm::createStringError("no such luck");
  };
  make(std::move(options));
  runOnThreads(8, [&](int) { EXPECT_EQ(launch(makeArgs(1)), "no such luck"); });
}

TEST_F(DispatcherTest, CountersOutliveTheirThreads) {
  make(makeOptions());
  for (int i = 0; i < 20; ++i)
    std::thread([&] {
      EXPECT_EQ(launch(makeArgs(1)), "no error");
      EXPECT_EQ(launch(makeArgs(1)), "no error");
    }).join();
  TargetStats row = stats(target("sm_90a"));
  EXPECT_EQ(row.shortcutHits, 20u);
  EXPECT_EQ(row.tableHits, 19u);
  EXPECT_EQ(row.slowCalls, 1u);
}

TEST_F(DispatcherTest, AChoiceOutOfRangeIsAnError) {
  DispatcherOptions options = makeOptions();
  options.compile = [&](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
    return std::vector<Candidate>(3, makeCandidate(request.target, "scale"));
  };
  options.choose = [](const ChooseRequest &) { return llvm::Expected<unsigned>(3); };
  make(std::move(options));
  EXPECT_EQ(launch(makeArgs(1)), "expected a choice below 3, the number of candidates of 'scale', but got 3");
}

TEST_F(DispatcherTest, TheLogSaysWhichPath) {
  DispatcherOptions options = makeOptions();
  std::vector<std::string> lines;
  options.log = [&](llvm::StringRef line) { lines.push_back(line.str()); };
  make(std::move(options));
  for (int64_t n : {1, 1, 1 << 20, 1})
    EXPECT_EQ(launch(makeArgs(n)), "no error");
  EXPECT_THAT(lines, ElementsAre("dispatch: 'scale' for sm_90a on device 0: slow",
                                 "dispatch: 'scale' for sm_90a on device 0: shortcut",
                                 "dispatch: 'scale' for sm_90a on device 0: slow",
                                 "dispatch: 'scale' for sm_90a on device 0: table"));
}
