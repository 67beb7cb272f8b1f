// Tests of files of several targets on devices of several kinds: the right code runs, or a clear error says
// why none does.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/ArtifactChoice.h"
#include "DispatcherFixture.h"

#include "llvm/ADT/StringExtras.h"
#include "gmock/gmock.h"

using namespace tilus;
using testing::HasSubstr;

namespace {
/// The targets of a file, and what runs on each of the devices; "" for nothing.
struct TableRow {
  std::vector<const char *> chips;
  const char *expected[8];
};
} // namespace

static constexpr const char *devicesText = "75,80,86,90,100,103,120,121";

/// Written down by the vendor's rules: base code runs on its major capability from its minor one on, so does
/// code of a family, and 'a' on its capability alone; of what runs 'a' is best, then 'f'.
static const TableRow tables[] = {
    {{"sm_80"}, {"", "sm_80", "sm_80", "", "", "", "", ""}},
    {{"sm_90", "sm_80", "sm_90a"}, {"", "sm_80", "sm_80", "sm_90a", "", "", "", ""}},
    {{"sm_90a"}, {"", "", "", "sm_90a", "", "", "", ""}},
    {{"sm_103", "sm_100f"}, {"", "", "", "", "sm_100f", "sm_100f", "", ""}},
    {{"sm_100a", "sm_100", "sm_103a", "sm_100f"}, {"", "", "", "", "sm_100a", "sm_103a", "", ""}},
    {{"sm_120f", "sm_75", "sm_121a", "sm_120"}, {"sm_75", "", "", "", "", "", "sm_120f", "sm_121a"}},
};

class ArtifactChoiceTest : public DispatcherTest {
protected:
  void SetUp() override {
    DispatcherTest::SetUp();
    open(devicesText);
  }
  static ArtifactList makeList(llvm::ArrayRef<const char *> chips) {
    ArtifactList list;
    for (const char *chip : chips)
      list.push_back(makeCandidate(target(chip), "scale").artifact);
    return list;
  }
};

TEST_F(ArtifactChoiceTest, TakesTheMostSpecificThatRuns) {
  for (const TableRow &row : tables) {
    ArtifactList list = makeList(row.chips);
    for (unsigned device = 0; device < 8; ++device) {
      auto chosen = chooseArtifact(list, "scale", *devices[device]);
      if (chosen) {
        EXPECT_EQ((*chosen)->chip, row.expected[device]) << row.chips[0] << " on " << device;
        continue;
      }
      EXPECT_STREQ(row.expected[device], "") << row.chips[0] << " on " << device;
      std::string text = message(chosen.takeError());
      EXPECT_THAT(text, HasSubstr("expected a binary that runs on device " + std::to_string(device) + " '"));
      EXPECT_THAT(text,
                  HasSubstr("for kernel 'scale', but got those for " +
                            llvm::join(std::vector<std::string>(row.chips.begin(), row.chips.end()), ", ")));
      EXPECT_THAT(text, HasSubstr("; compile it for " + devices[device]->getTarget()->chip.str()));
    }
  }
}

/// PTX is compiled by the driver for whatever supports its target.
TEST_F(ArtifactChoiceTest, TakesPtxWhereItsTargetIsSupported) {
  KernelArtifact ptx = *makeCandidate(target("sm_80"), "scale").artifact;
  ptx.cubin.clear();
  ptx.ptx = ".version 8.8";
  ArtifactList list = {std::make_shared<const KernelArtifact>(ptx)};
  EXPECT_EQ(message(chooseArtifact(list, "scale", *devices[0])).substr(0, 10), "expected a");
  for (unsigned device = 1; device < 8; ++device)
    EXPECT_EQ(message(chooseArtifact(list, "scale", *devices[device])), "no error");
}

TEST_F(ArtifactChoiceTest, NamesTheKernelsThatThereAre) {
  ArtifactList list = makeList({"sm_80", "sm_90a"});
  list.push_back(makeCandidate(target("sm_80"), "add").artifact);
  EXPECT_EQ(message(chooseArtifact(list, "scael", *devices[0]).takeError()),
            "expected a file with a kernel 'scael', but got one with scale, add");
  EXPECT_EQ(message(chooseArtifact({}, "scale", *devices[0]).takeError()),
            "expected a file with a kernel 'scale', but got one with none");
}

/// Each target of each table is called on each device. The fake driver loads nothing for another
/// architecture, so that what is launched is right; what is not is refused in words before the driver is
/// asked to load it.
TEST_F(ArtifactChoiceTest, LaunchesNothingForAnotherArchitecture) {
  for (const TableRow &row : tables)
    for (unsigned device = 0; device < 8; ++device) {
      make(makeOptions());
      bool hasRun = false;
      for (const char *chip : row.chips) {
        std::string result = launch(makeArgs(1024), &target(chip), nullptr, device);
        hasRun |= result == "no error";
        if (result == "no error")
          continue;
        EXPECT_THAT(result, HasSubstr("on device " + std::to_string(device) + " '"));
        EXPECT_THAT(result, HasSubstr(chip));
        EXPECT_THAT(result, testing::Not(HasSubstr("CUDA_ERROR")));
      }
      EXPECT_EQ(hasRun, row.expected[device][0] != 0) << row.chips[0] << " on " << device;
      if (!hasRun)
        continue;
      EXPECT_EQ(launch(makeArgs(1024), &target(row.expected[device]), nullptr, device), "no error");
      EXPECT_THAT(log(), testing::HasSubstr("cuLaunchKernelEx scale_" + std::string(row.expected[device]) +
                                            "_1 device=" + std::to_string(device)));
    }
}
