// Tests of the choice among candidates, against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Launcher.h"
#include "Tilus/Runtime/TuneProgressBar.h"
#include "TunerFixture.h"

#include "gmock/gmock.h"
#include <chrono>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(TunerTest, ChoosesTheFastest) {
  Addition slow{1, 5}, fast{1, 2}, middle{1, 3};
  add("slow", slow);
  add("fast", fast);
  add("middle", middle);
  std::vector<std::string> progress;
  options.onProgress = [&](const TuneProgress &state) {
    progress.push_back(std::to_string(state.done) + "/" + std::to_string(state.total) + " " +
                       state.best->schedule);
  };
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of fast");
  EXPECT_THAT(progress, ElementsAre("1/3 slow", "2/3 fast", "3/3 fast"));
  EXPECT_EQ(report.outcomes[0].milliseconds, 6.0);
  EXPECT_EQ(report.outcomes[1].milliseconds, 3.0);
  EXPECT_EQ(report.describeRefusals(), "");
}

TEST_F(TunerTest, ABarShowsTheProgress) {
  Addition bad, good{1, 2};
  add("bad", bad);
  add("good", good);
  auto broken = std::make_shared<KernelArtifact>(*candidates[0].artifact);
  broken->cubin = {'b', 'a', 'd', 0};
  candidates[0].artifact = broken;
  std::string text;
  llvm::raw_string_ostream os(text);
  options.onProgress = TuneProgressBar(os, "add", /*isTerminal=*/true);
  run();
  EXPECT_EQ(text, "\r\x1b[Kadd [##########----------] 1/2"
                  "\r\x1b[Kadd [####################] 2/2, best 3 ms: good\n");
  text.clear();
  options.onProgress = TuneProgressBar(os, "add");
  run();
  EXPECT_EQ(text, "");
}

TEST_F(TunerTest, InPlaceKernelsDoNotAccumulate) {
  std::vector<Addition> codes(6);
  const char *names[] = {"a", "b", "c", "d", "e", "f"};
  options.repeat = 50;
  for (int i = 0; i < 6; ++i) {
    codes[i].milliseconds = 6 - i;
    add(names[i], codes[i]);
  }
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of f");
  // Five that warm up, and as many as take 20 ms, each with 1 ms more than the kernel's.
  const int timed[] = {5, 5, 5, 5, 7, 10};
  for (int i = 0; i < 6; ++i)
    EXPECT_EQ(codes[i].launches, 5 + timed[i]);
  EXPECT_EQ(getSum(), 0);
  // One launch of the chosen candidate then raises x by exactly 1.
  const Candidate &best = candidates[*report.best];
  auto kernel = llvm::cantFail(LoadedKernel::load(*device, best.artifact));
  LaunchArguments arguments(best.artifact);
  llvm::cantFail(arguments.setPointer(0, x->getAddress()));
  llvm::cantFail(arguments.setInteger(1, count));
  llvm::cantFail(launch(*kernel, arguments));
  EXPECT_EQ(getSum(), 1);
}

TEST_F(TunerTest, AWrongButFastCandidateIsNeverChosen) {
  record(false);
  for (int trial = 0; trial < 100; ++trial) {
    candidates.clear();
    Addition wrong{2, 0.1}, good{1, 2}, other{1, 3};
    Addition *codes[] = {&good, &other};
    const char *names[] = {"good", "other"};
    for (int i = 0; i < 3; ++i)
      if (i == trial % 3)
        add("wrong", wrong);
      else
        add(names[i > trial % 3 ? i - 1 : i], *codes[i > trial % 3 ? i - 1 : i]);
    TuneReport report = run();
    ASSERT_EQ(getBest(report), "hash of good");
    ASSERT_EQ(
        report.outcomes[trial % 3].reason,
        "expected the results of 'good' and 1 others, but got a difference: 'x': element 0 is 2, not 1");
  }
}

TEST_F(TunerTest, OfTwoThatDifferTheFirstIsRight) {
  Addition first{1, 5}, second{2, 1};
  add("first", first);
  add("second", second);
  EXPECT_EQ(getBest(run()), "hash of first");
}

TEST_F(TunerTest, SkipsWhatDoesNotLoadOrLaunch) {
  Addition good{1, 5}, bad{1, 1}, unlaunchable{1, 1};
  add("bad", bad);
  add("good", good);
  add("unlaunchable", unlaunchable);
  auto broken = std::make_shared<KernelArtifact>(*candidates[0].artifact);
  broken->cubin = {'b', 'a', 'd', 0};
  candidates[0].artifact = broken;
  auto large = std::make_shared<KernelArtifact>(*candidates[2].artifact);
  large->grid[1] = GridExpr::constant(70000);
  candidates[2].artifact = large;
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_THAT(report.outcomes[0].reason, HasSubstr("CUDA_ERROR_INVALID_IMAGE"));
  EXPECT_EQ(report.outcomes[2].reason,
            "expected a grid size y from 0 to 65535 for kernel 'unlaunchable', but got 70000");
  EXPECT_THAT(report.describeRefusals(), HasSubstr("bad: expected 'cuModuleLoadDataEx' to succeed"));
}

/// A candidate that could not be built is not in the list; the others keep their names.
TEST_F(TunerTest, AFailedScheduleDoesNotShiftChoices) {
  Addition a{1, 5}, b{1, 4}, c{1, 1};
  add("a", a);
  add("b", b);
  add("c", c);
  EXPECT_EQ(getBest(run()), "hash of c");
  candidates.erase(candidates.begin());
  EXPECT_EQ(getBest(run()), "hash of c");
}

TEST_F(TunerTest, AHangingCandidateHitsItsLimit) {
  Addition good{1, 5}, hanging{1, 1}, later{1, 1};
  hanging.hangs = true;
  add("good", good);
  add("hanging", hanging);
  add("later", later);
  auto start = std::chrono::steady_clock::now();
  TuneReport report = run();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(5));
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_EQ(report.outcomes[1].reason,
            "expected all launches to end within 0.2 s, but got one that was still running");
  EXPECT_EQ(report.outcomes[2].reason, "not measured, for 'hanging' made the device unusable");
  release();
  forget();
}

TEST_F(TunerTest, AFaultingCandidateIsSkipped) {
  Addition good{1, 5}, faulting{1, 1};
  faulting.fault = 700;
  add("good", good);
  add("faulting", faulting);
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_THAT(report.outcomes[1].reason, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  forget();
}

TEST_F(TunerTest, ASlowCandidateIsTimedLessOften) {
  Addition slow{1, 5};
  options.repeat = 1000;
  options.secondsPerCandidate = 0.4;
  delay("cuLaunchKernelEx", 20000);
  add("slow", slow);
  EXPECT_EQ(getBest(run()), "hash of slow");
  EXPECT_LT(slow.launches, 20);
  EXPECT_GE(slow.launches, 8);
}

TEST_F(TunerTest, AShortKernelIsTimedAsOftenAsAsked) {
  Addition fast{1, 0};
  options.repeat = 15;
  add("fast", fast);
  EXPECT_EQ(run().outcomes[0].milliseconds, 1.0);
  EXPECT_EQ(fast.launches, 20);
}

/// Each time has 1 ms more than the kernel's.
TEST_F(TunerTest, AClearlySlowerCandidateIsTimedThreeTimes) {
  Addition fast{1, 0.1}, close{1, 0.4}, slow{1, 0.5}, faster{1, 0};
  options.repeat = 15;
  add("fast", fast);
  add("close", close);
  add("slow", slow);
  add("faster", faster);
  TuneReport report = run();
  EXPECT_EQ(fast.launches, 20);
  EXPECT_EQ(close.launches, 5 + 15);
  EXPECT_EQ(slow.launches, 5 + 3);
  EXPECT_EQ(faster.launches, 20);
  EXPECT_FLOAT_EQ(*report.outcomes[2].milliseconds, 1.5);
  EXPECT_EQ(report.describeRefusals(), "");
  EXPECT_EQ(getBest(report), "hash of faster");
}

/// A wrong candidate that is fast does not take launches from right ones, and stopping early hides no wrong
/// result.
TEST_F(TunerTest, OnlyTheSameResultsLetACandidateStopEarly) {
  Addition wrong{2, 0}, good{1, 1}, slow{1, 4}, slowWrong{2, 5};
  options.repeat = 6;
  add("wrong", wrong);
  add("good", good);
  add("slow", slow);
  add("slow_wrong", slowWrong);
  TuneReport report = run();
  EXPECT_EQ(good.launches, 5 + 6);
  EXPECT_EQ(slow.launches, 5 + 3);
  EXPECT_EQ(slowWrong.launches, 5 + 3);
  EXPECT_EQ(getBest(report), "hash of wrong");
  EXPECT_THAT(report.outcomes[1].reason, HasSubstr("'x': element 0 is 1, not 2"));
  EXPECT_THAT(report.outcomes[2].reason, HasSubstr("'x': element 0 is 1, not 2"));
  EXPECT_EQ(report.outcomes[3].reason, "");
  EXPECT_FLOAT_EQ(*report.outcomes[3].milliseconds, 6);
}

TEST_F(TunerTest, FlushesTwiceTheCacheAndAtLeast128MiB) {
  Addition code;
  options.flushBytes = std::nullopt;
  options.repeat = 1;
  options.warmUp = 1;
  unsigned long long bytes = 0;
  auto count = [&](FakeLaunch &) { bytes = call<decltype(&fakeCudaBytes)>("fakeCudaBytes")(); };
  add("a", code);
  onLaunch("a", count);
  run();
  EXPECT_GE(bytes, 128u << 20);
  EXPECT_LT(bytes, 129u << 20);
}

TEST_F(TunerTest, NoCandidateIsLeft) {
  EXPECT_EQ(message(tune(*device, {}, {}, options)), "expected at least one candidate to tune, but got none");
  Addition faulting{1, 1};
  add("a", faulting);
  fail("cuLaunchKernelEx", 1, 719);
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "none");
  EXPECT_THAT(report.describeRefusals(), HasSubstr("a: expected 'cuLaunchKernelEx' to succeed"));
}
