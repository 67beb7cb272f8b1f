// Tests of interned targets, scopes and devices' defaults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <set>
#include <thread>

using namespace tilus;

TEST(Target, IsOneObject) {
  const Target &hopper = target("sm_90a");
  EXPECT_EQ(&hopper, &target("sm90a"));
  EXPECT_NE(&hopper, &target("sm_90"));
  EXPECT_EQ(hopper.getName(), "sm_90a");
  EXPECT_EQ(hopper.getFileName(), "sm_90a");
  EXPECT_EQ(message(Target::lookup("sm_91")), describeUnknownTarget("sm_91"));
}

TEST(Target, FeaturesDoNotDependOnTheirOrder) {
  const Target *first = llvm::cantFail(Target::lookup("sm_90a", "+ptx88,+fast"));
  EXPECT_EQ(first, llvm::cantFail(Target::lookup("sm_90a", " +fast, +ptx88,+fast,")));
  EXPECT_NE(first, &target("sm_90a"));
  EXPECT_EQ(first->getFeatures(), "+fast,+ptx88");
  EXPECT_EQ(first->getName(), "sm_90a,+fast,+ptx88");
  EXPECT_EQ(first->getFileName(), "sm_90a.-2bfast.-2bptx88");
}

TEST(Target, NamesAndHashesDiffer) {
  std::set<std::string> names;
  std::set<uint64_t> hashes;
  for (const TargetInfo &info : allTargets())
    for (const char *features : {"", "+a", "-a", "+a,+b", "+a.+b", "+a-2cb"}) {
      names.insert(Target::get(info, features).getFileName().str());
      hashes.insert(Target::get(info, features).getHash());
    }
  EXPECT_EQ(names.size(), allTargets().size() * 6);
  EXPECT_EQ(hashes.size(), names.size());
  for (const std::string &name : names)
    EXPECT_THAT(name, testing::MatchesRegex("[A-Za-z0-9_.-]+"));
}

TEST(Target, IsOneObjectForAllThreads) {
  std::vector<const Target *> seen(8);
  std::vector<std::thread> threads;
  for (const Target *&place : seen)
    threads.emplace_back([&place] { place = llvm::cantFail(Target::lookup("sm_103a", "+threads")); });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_THAT(seen, testing::Each(seen[0]));
}

TEST(TargetScope, NestsAndBelongsToItsThread) {
  EXPECT_EQ(getCurrentTarget(), nullptr);
  {
    TargetScope outer(target("sm_90"));
    EXPECT_EQ(getCurrentTarget(), &target("sm_90"));
    {
      TargetScope inner(target("sm_103a"));
      EXPECT_EQ(getCurrentTarget(), &target("sm_103a"));
      std::thread([] { EXPECT_EQ(getCurrentTarget(), nullptr); }).join();
    }
    EXPECT_EQ(getCurrentTarget(), &target("sm_90"));
  }
  EXPECT_EQ(getCurrentTarget(), nullptr);
}

TEST_F(DispatcherTest, EachDeviceHasItsMostSpecificTarget) {
  open("80,90,103,121,42");
  EXPECT_EQ(devices[0]->getDefaultTarget(), &target("sm_80"));
  EXPECT_EQ(devices[1]->getDefaultTarget(), &target("sm_90a"));
  EXPECT_EQ(devices[2]->getDefaultTarget(), &target("sm_103a"));
  EXPECT_EQ(devices[3]->getDefaultTarget(), &target("sm_121a"));
  EXPECT_EQ(devices[4]->getDefaultTarget(), nullptr);
  make(makeOptions());
  EXPECT_EQ(
      launch(makeArgs(1), nullptr, nullptr, 4),
      "expected a target for a call of 'scale' on device 4 'Fake GPU 4' (compute capability 4.2), which "
      "is not in the table of targets, but got none; name one by a scope");
}
