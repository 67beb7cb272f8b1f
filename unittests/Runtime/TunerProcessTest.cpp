// Tests of tuning in a process of its own, which candidates may spoil in every way.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TunerFixture.h"

#include "gmock/gmock.h"
#include <chrono>
#include <unistd.h>

using namespace tilus;
using testing::HasSubstr;

namespace {

class TunerProcessTest : public TunerTest {
protected:
  void SetUp() override {
    TunerTest::SetUp();
    options.measureProgram = TILUS_MEASURE;
  }
  /// Adds a candidate with effects of the fake driver, which the other process has too.
  void addEffects(const char *name, const std::string &effects) {
    add(name, unused);
    auto artifact = std::make_shared<KernelArtifact>(*candidates.back().artifact);
    std::string image = "fake " + std::string(name) + " 32 0 0 8 8 " + effects;
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    candidates.back().artifact = artifact;
  }

  Addition unused;
};

} // namespace

TEST_F(TunerProcessTest, ChoosesTheFastest) {
  addEffects("slow", "add=1 ms=5");
  addEffects("fast", "add=1 ms=2");
  TuneReport report = run();
  EXPECT_EQ(report.warning, "");
  EXPECT_EQ(getBest(report), "hash of fast");
  EXPECT_EQ(report.outcomes[0].milliseconds, 6.0);
  EXPECT_EQ(report.outcomes[1].milliseconds, 3.0);
  EXPECT_EQ(unused.launches, 0);
  EXPECT_EQ(getSum(), 0);
}

TEST_F(TunerProcessTest, NoCandidateSpoilsTheOthers) {
  addEffects("hangs", "hang=1");
  addEffects("faults", "fault=700");
  addEffects("wrong", "add=2 ms=0.1");
  addEffects("exits", "exit=3");
  addEffects("good", "add=1 ms=3");
  addEffects("crashes", "kill=9");
  addEffects("slow", "add=1 ms=4");
  TuneReport report = run();
  EXPECT_EQ(report.warning, "");
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_THAT(report.outcomes[0].reason, HasSubstr("within 0.2 s, but got one that was still running"));
  EXPECT_THAT(report.outcomes[1].reason, HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS (700)"));
  EXPECT_THAT(report.outcomes[2].reason, HasSubstr("'x': element 0 is 2, not 1"));
  EXPECT_EQ(report.outcomes[3].reason, "expected a measurement, but got the end of its process by status 3");
  EXPECT_EQ(report.outcomes[5].reason, "expected a measurement, but got the end of its process by signal 9");
  EXPECT_EQ(report.outcomes[6].reason, "");
  // This process has neither launched anything nor lost its device.
  EXPECT_EQ(unused.launches, 0);
  EXPECT_EQ(getSum(), 0);
}

/// Results that were sent before are named; a new process starts anew.
TEST_F(TunerProcessTest, EqualResultsAgreeAcrossProcesses) {
  for (int summand = 1; summand <= 6; ++summand)
    addEffects(("differs" + std::to_string(summand)).c_str(), "add=" + std::to_string(summand) + " ms=1");
  addEffects("nothing", "ms=1");
  addEffects("exits", "exit=3");
  for (const char *name : {"five", "fives", "fifth"})
    addEffects(name, "add=5 ms=2");
  addEffects("two", "add=2 ms=1");
  TuneReport report = run();
  for (unsigned index : {4u, 8u, 9u, 10u})
    EXPECT_EQ(report.outcomes[index].reason, "") << index;
  for (unsigned index : {0u, 1u, 2u, 3u, 5u, 6u, 11u})
    EXPECT_THAT(report.outcomes[index].reason,
                HasSubstr("'differs5' and 3 others, but got a difference: 'x': element 0 is"));
  EXPECT_EQ(getBest(report), "hash of differs5");
}

/// A process whose standard streams are closed, so that new files take their places.
TEST_F(TunerProcessTest, WithoutStandardInput) {
  addEffects("good", "add=1 ms=1");
  int kept = dup(STDIN_FILENO);
  close(STDIN_FILENO);
  TuneReport report = run();
  dup2(kept, STDIN_FILENO);
  close(kept);
  EXPECT_EQ(report.warning, "");
  EXPECT_EQ(getBest(report), "hash of good");
}

/// No file is left open, whatever became of the processes.
TEST_F(TunerProcessTest, ClosesItsFiles) {
  addEffects("exits", "exit=3");
  addEffects("good", "add=1 ms=1");
  int before = dup(STDIN_FILENO);
  close(before);
  EXPECT_EQ(getBest(run()), "hash of good");
  int after = dup(STDIN_FILENO);
  close(after);
  EXPECT_EQ(after, before);
}

/// A bad candidate in each place, for each way of being bad.
TEST_F(TunerProcessTest, ABadCandidateIsNeverChosen) {
  options.secondsPerCandidate = 0.02;
  const char *bad[] = {"hang=1", "fault=719", "add=3 ms=0.1", "exit=0", "kill=6"};
  for (int trial = 0; trial < 15; ++trial) {
    candidates.clear();
    for (int place = 0; place < 3; ++place)
      if (place == trial % 3)
        addEffects("bad", bad[trial / 3]);
      else
        addEffects(place == 0 || (place == 1 && trial % 3 == 0) ? "good" : "other",
                   place == 0 || (place == 1 && trial % 3 == 0) ? "add=1 ms=2" : "add=1 ms=3");
    TuneReport report = run();
    ASSERT_EQ(getBest(report), "hash of good") << bad[trial / 3];
    ASSERT_NE(report.outcomes[trial % 3].reason, "");
  }
}

TEST_F(TunerProcessTest, RunsHereIfTheProgramCannotBeStarted) {
  Addition good{1, 2};
  add("good", good);
  options.measureProgram = "/nowhere/tilus-measure";
  TuneReport report = run();
  EXPECT_EQ(report.warning,
            "expected to start '/nowhere/tilus-measure' to measure candidates, but got 'No such "
            "file or directory'");
  EXPECT_EQ(getBest(report), "hash of good");
  // And if it does not speak the language.
  options.measureProgram = "/bin/true";
  report = run();
  EXPECT_EQ(report.warning, "expected a measurement, but got the end of its process by status 0");
  EXPECT_EQ(getBest(report), "hash of good");
}
