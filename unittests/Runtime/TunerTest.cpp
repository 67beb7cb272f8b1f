// Tests of tuning against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/Tuner.h"
#include "FakeDriverFixture.h"
#include "Tilus/Runtime/DeviceBuffer.h"
#include "Tilus/Runtime/Launcher.h"

#include "gmock/gmock.h"
#include <chrono>
#include <cstring>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

/// What a device that a candidate made unusable may still use is never freed.
extern "C" const char *__lsan_default_suppressions() { return "leak:tilus::tune\nleak:TunerTest::SetUp"; }

namespace {

/// The kernels under test: `entry(x: pointer to i32, n: i64)` that adds to each of n elements.
struct Addition {
  int summand = 1;
  double milliseconds = 1;
  int fault = 0;
  bool hangs = false;
  int launches = 0;
  std::vector<int32_t *> addresses = {};

  void operator()(FakeLaunch &launch) {
    ++launches;
    int32_t *x = *static_cast<int32_t **>(launch.params[0]);
    addresses.push_back(x);
    for (int64_t i = 0, n = *static_cast<int64_t *>(launch.params[1]); i < n; ++i)
      x[i] += summand;
    launch.milliseconds = milliseconds;
    launch.fault = fault;
    launch.hangs = hangs;
  }
};

class TunerTest : public FakeDriverTest {
protected:
  static constexpr int64_t count = 100;

  void SetUp() override {
    FakeDriverTest::SetUp();
    device = llvm::cantFail(Device::open(*driver, 0));
    x = std::make_unique<DeviceBuffer>(llvm::cantFail(DeviceBuffer::allocate(*device, count * 4)));
    std::vector<int32_t> start;
    for (int i = 0; i < count; ++i)
      start.push_back(i);
    llvm::cantFail(x->copyFrom({reinterpret_cast<uint8_t *>(start.data()), start.size() * 4}));
    options.flushBytes = 1024;
    options.repeat = 3;
    options.secondsPerCandidate = 0.2;
  }
  void TearDown() override {
    x.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  /// After a candidate that made the device unusable, and what it used with it.
  void forget() {
    (void)x.release();
    (void)device.release();
    reset("90");
  }
  /// Adds a candidate whose kernel has the code.
  void add(const char *name, Addition &code) {
    auto artifact = std::make_shared<KernelArtifact>();
    artifact->entry = name;
    artifact->chip = "sm_90";
    std::string image = "fake " + std::string(name) + " 32 0 0 8 8";
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    artifact->blockThreads = 128;
    artifact->params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getInt(32), 16},
                        {"n", KernelParam::Kind::Scalar, ScalarFormat::getInt(64), 1}};
    candidates.push_back({artifact, "hash of " + std::string(name), name});
    onLaunch(name, code);
  }
  TuneReport run() {
    return llvm::cantFail(tune(*device, candidates, {{x->getAddress(), x->getBytes()}, {count, 0}}, options));
  }
  std::string getBest(const TuneReport &report) {
    return report.best ? report.outcomes[*report.best].scheduleHash : "none";
  }
  /// What was added to the elements of x.
  int getSum() {
    std::vector<int32_t> values(count);
    llvm::cantFail(x->copyTo({reinterpret_cast<uint8_t *>(values.data()), values.size() * 4}));
    for (int i = 1; i < count; ++i)
      EXPECT_EQ(values[i] - i, values[0]);
    return values[0];
  }

  std::unique_ptr<Device> device;
  std::unique_ptr<DeviceBuffer> x;
  std::vector<Candidate> candidates;
  TuneOptions options;
};

} // namespace

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
  for (const Addition &code : codes)
    EXPECT_EQ(code.launches, 55);
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

TEST_F(TunerTest, EveryLaunchSeesTheSameMemory) {
  std::vector<int32_t> seen;
  auto code = [&](FakeLaunch &launch) { seen.push_back((**static_cast<int32_t **>(launch.params[0]))++); };
  Addition unused;
  add("a", unused);
  onLaunch("a", code);
  run();
  EXPECT_EQ(seen, std::vector<int32_t>(8, 0));
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

TEST_F(TunerTest, FindsTheMemoryBehindBarePointers) {
  Addition code;
  add("a", code);
  // The extent is not known, and the address lies within the allocation.
  llvm::cantFail(tune(*device, candidates, {{x->getAddress() + 64, 0}, {4, 0}}, options));
  EXPECT_EQ(getSum(), 0);
  EXPECT_EQ(reinterpret_cast<uint64_t>(code.addresses[0]) % 256, (x->getAddress() + 64) % 256);
  EXPECT_EQ(message(tune(*device, candidates, {{16, 0}, {4, 0}}, options)),
            "expected device memory behind parameter 'x' that can be copied for tuning, but got the address "
            "0x10 of no allocation");
}

/// An integer that is an address, and two parameters that point to one buffer.
TEST_F(TunerTest, AliasesStayAliases) {
  Addition code;
  add("a", code);
  std::vector<uint64_t> first, second;
  auto write = [&](FakeLaunch &launch) {
    first.push_back(*static_cast<uint64_t *>(launch.params[0]));
    second.push_back(*static_cast<uint64_t *>(launch.params[1]));
    *reinterpret_cast<int32_t *>(second.back()) = 77;
  };
  onLaunch("a", write);
  llvm::cantFail(tune(*device, candidates, {{x->getAddress(), 400}, {x->getAddress() + 32, 0}}, options));
  EXPECT_EQ(getSum(), 0);
  EXPECT_NE(first[0], x->getAddress());
  EXPECT_EQ(second[0] - first[0], 32u);
}

TEST_F(TunerTest, CleanWorkspacesMustStayClean) {
  Addition good{1, 5}, dirty{1, 1};
  add("good", good);
  add("dirty", dirty);
  for (Candidate &candidate : candidates) {
    auto artifact = std::make_shared<KernelArtifact>(*candidate.artifact);
    artifact->workspaces.push_back({GridExpr::constant(64), true});
    std::string image = "fake " + artifact->entry + " 32 0 0 8 8 8";
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    candidate.artifact = artifact;
  }
  auto soil = [&](FakeLaunch &launch) {
    dirty(launch);
    **static_cast<char **>(launch.params[2]) = 1;
  };
  onLaunch("dirty", soil);
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_EQ(report.outcomes[1].reason,
            "expected zeros in workspace 0 after a launch, but got something else");
}
