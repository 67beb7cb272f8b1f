//===- TargetRequirementTest.cpp - tests of requirements
//--------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests when a requirement is met, and the exact wording of its diagnostics.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/TargetInfo/TargetRequirement.h"

#include "gtest/gtest.h"

using namespace tilus;

static const TargetInfo &target(const char *chip) { return *lookupTarget(chip); }

TEST(TargetRequirement, isMetByTheRightTargets) {
  EXPECT_TRUE(TargetRequirement().isMetBy(target("sm_70")));
  EXPECT_TRUE(TargetRequirement(Chip::sm_80).isMetBy(target("sm_120a")));
  EXPECT_FALSE(TargetRequirement(Chip::sm_80).isMetBy(target("sm_75")));
  EXPECT_TRUE(TargetRequirement(Chip::sm_100f).isMetBy(target("sm_103a")));
  EXPECT_FALSE(TargetRequirement(Chip::sm_100f).isMetBy(target("sm_103")));
  EXPECT_FALSE(TargetRequirement(Chip::sm_90a).isMetBy(target("sm_100a")));
  EXPECT_TRUE(TargetRequirement(Feature::Tcgen05).isMetBy(target("sm_110f")));
  EXPECT_FALSE(TargetRequirement(Feature::Tcgen05).isMetBy(target("sm_120a")));
}

TEST(TargetRequirement, describesItself) {
  EXPECT_EQ(TargetRequirement().describe(), "requires nothing of the target");
  EXPECT_EQ(TargetRequirement(Chip::sm_90a).describe(), "requires sm_90a");
  EXPECT_EQ(TargetRequirement(Chip::sm_80).describe(), "requires sm_80 or later");
  EXPECT_EQ(TargetRequirement(Feature::Wgmma).describe(), "requires feature 'wgmma' (sm_90a)");
  EXPECT_EQ(TargetRequirement(Feature::Tcgen05).describe(),
            "requires feature 'tcgen05' (sm_100f or sm_110f)");
  EXPECT_EQ(TargetRequirement(Feature::Setmaxnreg).describe(),
            "requires feature 'setmaxnreg' (sm_90a, sm_100f, sm_110f or sm_120f)");
  EXPECT_EQ(TargetRequirement(Chip::sm_90a).describeMismatch(target("sm_80")),
            "requires sm_90a, but the kernel targets sm_80");
}

TEST(TargetRequirement, parsesChipsAndFeatures) {
  EXPECT_EQ(TargetRequirement::parse("sm_90a"), TargetRequirement(Chip::sm_90a));
  EXPECT_EQ(TargetRequirement::parse("wgmma"), TargetRequirement(Feature::Wgmma));
  EXPECT_EQ(TargetRequirement::parse("warp speed"), std::nullopt);
  EXPECT_NE(TargetRequirement(Chip::sm_70), TargetRequirement());
  EXPECT_TRUE(TargetRequirement().isEmpty());
}

TEST(TargetRequirement, unknownNamesGetASuggestion) {
  const std::string start = "expected a known chip or feature, but got '";
  EXPECT_EQ(TargetRequirement::describeUnknown("sm_91"), start + "sm_91'; did you mean 'sm_90'?");
  EXPECT_EQ(TargetRequirement::describeUnknown("tcgen5"), start + "tcgen5'; did you mean 'tcgen05'?");
  EXPECT_EQ(TargetRequirement::describeUnknown("cp.async"), start + "cp.async'; did you mean 'cp_async'?");
  EXPECT_EQ(TargetRequirement::describeUnknown("tensor memory"), start + "tensor memory'");
  EXPECT_EQ(TargetRequirement::describeUnknown(""), start + "'");
}
