//===- FeatureTest.cpp - tests of the feature table
//----------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the rules of Features.def with the lists of chips on which the assembler of CUDA 13.0 takes the
// instruction, and for sm_70 with the PTX ISA.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/TargetInfo/TargetInfo.h"

#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <set>

using namespace tilus;

static const char from70[] =
    "70 75 80 86 87 88 89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 "
    "121f 121a";
static const char from75[] =
    "75 80 86 87 88 89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 "
    "121f 121a";
static const char from80[] =
    "80 86 87 88 89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f "
    "121a";
static const char from89[] =
    "89 90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f 121a";
static const char from90[] = "90 90a 100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f 121a";
static const char from100[] = "100 100f 100a 103 103f 103a 110 110f 110a 120 120f 120a 121 121f 121a";
static const char families[] = "100f 100a 103f 103a 110f 110a 120f 120a 121f 121a";
static const char tensorMemory[] = "100f 100a 103f 103a 110f 110a";

namespace {
struct FeatureRow {
  const char *feature;
  const char *chips;
};
} // namespace

static const FeatureRow expectedRows[] = {
    {"mma.f16.m8n8k4", from70},
    {"mma.f16.m16n8k8", from75},
    {"mma.f16.m16n8k16", from80},
    {"mma.bf16", from80},
    {"mma.tf32", from80},
    {"mma.f64.m8n8k4", from80},
    {"mma.f64.m16n8", from90},
    {"mma.i8.m8n8k16", from75},
    {"mma.i8.m16n8", from80},
    {"mma.i4.m8n8k32", from75},
    {"mma.i4.m16n8", from80},
    {"mma.b1.xor", from75},
    {"mma.b1.and", from80},
    {"mma.f8", from89},
    {"mma.f8f6f4", "120f 120a 121f 121a"},
    {"mma.block_scale", "120f 120a 121f 121a"},
    {"mma.sp", from80},
    {"ldmatrix", from75},
    {"ldmatrix.narrow", families},
    {"stmatrix", from90},
    {"stmatrix.narrow", families},
    {"movmatrix", from75},
    {"cp_async", from80},
    {"cp_async_bulk", from90},
    {"tma", from90},
    {"tma.gather4", from100},
    {"tma.scatter4", tensorMemory},
    {"tma.cta_group", tensorMemory},
    {"tma.im2col_w", from100},
    {"tensormap.replace", "90a 100f 100a 103f 103a 110f 110a 120f 120a 121f 121a"},
    {"st_async", from90},
    {"st_bulk", from100},
    {"mbarrier", from80},
    {"mbarrier.try_wait", from90},
    {"mbarrier.tx", from90},
    {"fence_proxy_async", from90},
    {"cluster", from90},
    {"cluster_launch_control", from100},
    {"cluster_launch_control.multicast", families},
    {"griddepcontrol", from90},
    {"elect", from90},
    {"setmaxnreg", "90a 100f 100a 103f 103a 110f 110a 120f 120a 121f 121a"},
    {"nanosleep", from70},
    {"wgmma", "90a"},
    {"tcgen05", tensorMemory},
    {"tcgen05.mma.i8", "100a 110a"},
    {"tcgen05.mma.block_scale", tensorMemory},
    {"tcgen05.mma.scale_input_d", "100f 100a 103f 103a"},
    {"tcgen05.shift", "100a 103a 110a"},
    {"tcgen05.ld.red", "103f 103a 110f 110a"},
    {"dp4a", from70},
    {"fma.bf16", from80},
    {"arith.bf16", from90},
    {"arith.f32x2", from100},
    {"min3.f32", from100},
    {"minmax.nan", from80},
    {"tanh.f32", from75},
    {"tanh.bf16", from90},
    {"ex2.f16", from75},
    {"redux.int", from80},
    {"redux.f32", "100f 100a 103f 103a"},
    {"cvt.bf16", from80},
    {"cvt.tf32", from80},
    {"cvt.f8", from89},
    {"cvt.f6", families},
    {"cvt.f4", families},
    {"cvt.ue8m0", families},
    {"cvt.rs", "100a 103a"},
    {"atomic.f16x2", from70},
    {"atomic.bf16x2", from90},
    {"atomic.f64", from70},
    {"atomic.vector.f32", from90},
    {"atomic.b128", from90},
    {"global.256bit", from100},
    {"l2.prefetch.128b", from75},
    {"l2.prefetch.256b", from80},
    {"l2.cache_hint", from80},
    {"l2.evict", from100},
    {"l1.evict", from70},
    {"multimem", from90},
};

TEST(Features, everyRowMatchesTheAssembler) {
  EXPECT_EQ(std::size(expectedRows), allFeatures().size());
  for (const FeatureRow &row : expectedRows) {
    std::optional<Feature> feature = lookupFeature(row.feature);
    ASSERT_TRUE(feature) << row.feature;
    std::string found;
    for (const TargetInfo &target : allTargets())
      if (target.hasFeature(*feature))
        found += (found.empty() ? "" : " ") + target.chip.drop_front(3).str();
    EXPECT_EQ(found, row.chips) << row.feature;
  }
}

TEST(Features, rowsAreWellFormed) {
  std::set<std::string> names;
  for (const auto &info : allFeatures()) {
    EXPECT_TRUE(names.insert(info.name.str()).second) << info.name.str();
    EXPECT_FALSE(info.summary.empty()) << info.name.str();
    EXPECT_FALSE(info.grants.empty()) << info.name.str();
    EXPECT_EQ(lookupTarget(info.name), nullptr) << "a requirement could mean either";
    EXPECT_EQ(&getFeatureInfo(*lookupFeature(info.name)), &info);
  }
}

TEST(Features, unknownNamesAreRefused) {
  for (const char *name : {"", "WGMMA", "wgmma ", "mma", "sm_90a"})
    EXPECT_EQ(lookupFeature(name), std::nullopt) << name;
}
