// Tests of choosing by tuning with a memory on disk, against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/TuningChooser.h"
#include "TunerFixture.h"

#include "gmock/gmock.h"
#include <filesystem>
#include <fstream>
#include <thread>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// Calls of `add(x: pointer, n: integer)` by a dispatcher whose chooser keeps its choices in a folder.
class TuningChooserTest : public TunerTest {
protected:
  void SetUp() override {
    TunerTest::SetUp();
    std::string pattern = std::filesystem::temp_directory_path() / "tilus-chooser-XXXXXX";
    folder = mkdtemp(pattern.data());
    add("slow", slow);
    add("fast", fast);
    add("middle", middle);
    restart();
  }
  void TearDown() override {
    dispatcher.reset();
    std::filesystem::remove_all(folder);
    TunerTest::TearDown();
  }
  /// A new process, as far as the chooser and the dispatcher know.
  void restart() {
    dispatcher.reset();
    CacheOptions cache;
    cache.root = folder + "/cache";
    auto store = std::make_shared<const CacheStore>(llvm::cantFail(CacheStore::open(cache)));
    TuningChooserOptions chooserOptions;
    chooserOptions.tune = options;
    chooserOptions.tilusBuild = tilusBuild;
    chooserOptions.warn = [this](llvm::StringRef text) { warnings.push_back(text.str()); };
    chooserOptions.openDirectory = [=](const Target &target) {
      return ScriptDirectory::open(store,
                                   {"add", "text", "", "nvptx64", target.getChip().str(), "", "build"});
    };
    chooser = std::make_unique<TuningChooser>(std::move(chooserOptions));
    DispatcherOptions dispatcherOptions;
    dispatcherOptions.compile = [this](const CompileRequest &) {
      ++compiles;
      return llvm::Expected<std::vector<Candidate>>(candidates);
    };
    dispatcherOptions.choose = chooser->getFunction();
    dispatcher = std::make_unique<Dispatcher>(
        llvm::cantFail(
            CallSignature::create("add", {{"x", CallParam::Kind::Pointer}, {"n", CallParam::Kind::Integer}})),
        std::move(dispatcherOptions));
  }
  std::string call(int64_t n = count) {
    return message(
        dispatcher->call({CallValue::getPointer(x->getAddress(), x->getBytes()), CallValue::getInt(n)},
                         {device.get(), nullptr, llvm::cantFail(Target::lookup("sm_90"))}));
  }
  /// The table that was written, or the path of one to put there.
  std::string getTablePath(llvm::StringRef name = "tuning-") {
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
      if (entry.path().filename().string().rfind(name.str(), 0) == 0)
        return entry.path();
    return "";
  }
  std::string readTable() {
    std::ifstream file(getTablePath());
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  void replaceInTable(const std::string &from, const std::string &to) {
    std::string text = readTable();
    size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << text;
    std::ofstream(getTablePath()) << text.replace(at, from.size(), to);
  }
  int countLaunches() { return slow.launches + fast.launches + middle.launches; }

  Addition slow{1, 5}, fast{1, 2}, middle{1, 3};
  std::string folder, tilusBuild = "build 1";
  std::vector<std::string> warnings;
  std::unique_ptr<TuningChooser> chooser;
  std::unique_ptr<Dispatcher> dispatcher;
  std::atomic<int> compiles{0};
};

} // namespace

TEST_F(TuningChooserTest, ACallOfAnInPlaceKernelRunsOnce) {
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(getSum(), 1);
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(getSum(), 2);
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  EXPECT_EQ(fast.launches, 8 + 2);
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(TuningChooserTest, AChoiceIsKeptOnDisk) {
  EXPECT_EQ(call(), "no error");
  EXPECT_THAT(readTable(), HasSubstr("\"schedule\": \"hash of fast\""));
  EXPECT_THAT(readTable(), HasSubstr("\"key\": \"n=128 jit="));
  int before = countLaunches();
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(countLaunches(), before + 1);
  EXPECT_EQ(chooser->getStats().known, 1u);
  EXPECT_EQ(chooser->getStats().tuned, 0u);
  // Another size is another key; what both were is kept.
  EXPECT_EQ(call(10), "no error");
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  EXPECT_THAT(readTable(), HasSubstr("n=128 "));
  EXPECT_THAT(readTable(), HasSubstr("n=12 "));
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(TuningChooserTest, ChoicesHoldUnderTheirFingerprint) {
  EXPECT_EQ(call(), "no error");
  replaceInTable("\"sm_90\"", "\"sm_80\"");
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("stored choices of schedules are not used"));
  // Another build of the compiler has a table of its own.
  tilusBuild = "build 2";
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().tuned, 1u);
}

TEST_F(TuningChooserTest, AWildCardMatchesEveryBuild) {
  EXPECT_EQ(call(), "no error");
  replaceInTable("\"build 1\"", "\"*\"");
  std::filesystem::path path = getTablePath();
  std::filesystem::rename(path, path.parent_path() / "tuning.json");
  tilusBuild = "build 3";
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().known, 1u);
  EXPECT_THAT(warnings, ElementsAre());
}

TEST_F(TuningChooserTest, AScheduleThatIsMissingDoesNotShiftChoices) {
  EXPECT_EQ(call(), "no error");
  // The first schedule does not build any more.
  candidates.erase(candidates.begin());
  restart();
  int before = fast.launches;
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().known, 1u);
  EXPECT_EQ(fast.launches, before + 1);
  // Nor does the chosen one: the key is tuned anew.
  candidates.erase(candidates.begin());
  candidates.push_back(candidates.front());
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  EXPECT_THAT(readTable(), HasSubstr("\"schedule\": \"hash of middle\""));
}

TEST_F(TuningChooserTest, DamageIsTunedAnew) {
  EXPECT_EQ(call(), "no error");
  std::ofstream(getTablePath()) << "{";
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  EXPECT_EQ(warnings.size(), 1u);
  restart();
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(chooser->getStats().known, 1u);
}

TEST_F(TuningChooserTest, ThreadsOnAColdKeyTuneOnce) {
  options.secondsPerCandidate = 10;
  delay("cuLaunchKernelEx", 1000);
  restart();
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] { good += call() == "no error"; });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(good, 8);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(chooser->getStats().tuned, 1u);
  EXPECT_EQ(slow.launches, 8);
}

TEST_F(TuningChooserTest, WhatCannotBeMeasuredTakesTheFirst) {
  fail("cuMemcpyDtoHAsync_v2", 1, 2);
  EXPECT_EQ(call(), "no error");
  EXPECT_EQ(slow.launches, 1);
  EXPECT_EQ(getSum(), 1);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_THAT(warnings[0], HasSubstr("the schedules of 'add' are not compared, the first is used: expected "
                                     "'cuMemcpyDtoHAsync_v2' to succeed"));
  EXPECT_EQ(getTablePath(), "");
}

TEST_F(TuningChooserTest, AnErrorNamesAllRefusals) {
  for (Candidate &candidate : candidates) {
    auto broken = std::make_shared<KernelArtifact>(*candidate.artifact);
    broken->cubin = {'b', 'a', 'd', 0};
    candidate.artifact = broken;
  }
  std::string text = call();
  EXPECT_THAT(text,
              HasSubstr("expected a schedule of 'add' for sm_90 that can be used, but got none:\nslow: "));
  EXPECT_THAT(text, HasSubstr("\nmiddle: expected 'cuModuleLoadDataEx' to succeed"));
}
