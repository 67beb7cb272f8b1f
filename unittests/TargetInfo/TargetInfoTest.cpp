//===- TargetInfoTest.cpp - tests of the chip table
//--------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the rules of compatibility with matrices written out by hand, and the limits with published
// values.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/TargetInfo/TargetInfo.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <map>

using namespace tilus;

namespace {
struct MatrixRow {
  const char *chip;
  const char *supported;
};
} // namespace

// Row: the target. Column, in the same order: the chip that the code was written for. The assembler of
// CUDA 13.0 accepts PTX of the column's .target for the row's -arch in the same way, save that it also takes
// PTX of a family for the base chip (the cubins are the same), which as a target has no family features.
static const MatrixRow supportMatrix[] = {
    {"sm_70", "100000000000000000000000"},   {"sm_75", "110000000000000000000000"},
    {"sm_80", "111000000000000000000000"},   {"sm_86", "111100000000000000000000"},
    {"sm_87", "111110000000000000000000"},   {"sm_88", "111111000000000000000000"},
    {"sm_89", "111111100000000000000000"},   {"sm_90", "111111110000000000000000"},
    {"sm_90a", "111111111000000000000000"},  {"sm_100", "111111110100000000000000"},
    {"sm_100f", "111111110110000000000000"}, {"sm_100a", "111111110111000000000000"},
    {"sm_103", "111111110100100000000000"},  {"sm_103f", "111111110110110000000000"},
    {"sm_103a", "111111110110111000000000"}, {"sm_110", "111111110100100100000000"},
    {"sm_110f", "111111110100100110000000"}, {"sm_110a", "111111110100100111000000"},
    {"sm_120", "111111110100100100100000"},  {"sm_120f", "111111110100100100110000"},
    {"sm_120a", "111111110100100100111000"}, {"sm_121", "111111110100100100100100"},
    {"sm_121f", "111111110100100100110110"}, {"sm_121a", "111111110100100100110111"},
};

TEST(TargetInfo, supportsMatchesTheMatrix) {
  ASSERT_EQ(std::size(supportMatrix), 24u);
  ASSERT_EQ(allTargets().size(), 24u);
  for (const MatrixRow &row : supportMatrix) {
    const TargetInfo *target = lookupTarget(row.chip);
    ASSERT_TRUE(target) << row.chip;
    for (size_t column = 0; column != std::size(supportMatrix); ++column) {
      const TargetInfo *other = lookupTarget(supportMatrix[column].chip);
      EXPECT_EQ(target->supports(*other), row.supported[column] == '1')
          << row.chip << " takes code of " << supportMatrix[column].chip;
    }
  }
}

// The devices that load a cubin of each chip, of all devices from 7.0 to 12.1.
TEST(TargetInfo, canRunMatchesTheTable) {
  const std::map<std::string, std::string> devices = {{"sm_70", "7.0 7.5"},
                                                      {"sm_75", "7.5"},
                                                      {"sm_80", "8.0 8.6 8.7 8.8 8.9"},
                                                      {"sm_86", "8.6 8.7 8.8 8.9"},
                                                      {"sm_87", "8.7 8.8 8.9"},
                                                      {"sm_88", "8.8 8.9"},
                                                      {"sm_89", "8.9"},
                                                      {"sm_90", "9.0"},
                                                      {"sm_90a", "9.0"},
                                                      {"sm_100", "10.0 10.3"},
                                                      {"sm_100f", "10.0 10.3"},
                                                      {"sm_100a", "10.0"},
                                                      {"sm_103", "10.3"},
                                                      {"sm_103f", "10.3"},
                                                      {"sm_103a", "10.3"},
                                                      {"sm_110", "11.0"},
                                                      {"sm_110f", "11.0"},
                                                      {"sm_110a", "11.0"},
                                                      {"sm_120", "12.0 12.1"},
                                                      {"sm_120f", "12.0 12.1"},
                                                      {"sm_120a", "12.0"},
                                                      {"sm_121", "12.1"},
                                                      {"sm_121f", "12.1"},
                                                      {"sm_121a", "12.1"}};
  const ComputeCapability all[] = {{7, 0}, {7, 5},  {8, 0},  {8, 6},  {8, 7},  {8, 8}, {8, 9},
                                   {9, 0}, {10, 0}, {10, 3}, {11, 0}, {12, 0}, {12, 1}};
  for (const TargetInfo &target : allTargets()) {
    std::string found;
    for (ComputeCapability device : all)
      if (canRun(target, device))
        found +=
            (found.empty() ? "" : " ") + std::to_string(device.major) + "." + std::to_string(device.minor);
    EXPECT_EQ(found, devices.at(target.chip.str())) << target.chip.str();
  }
}

TEST(TargetInfo, rowsAreWellFormed) {
  std::map<std::string, int> names;
  for (const TargetInfo &target : allTargets()) {
    std::string chip = target.chip.str();
    EXPECT_EQ(++names[chip], 1) << chip;
    EXPECT_EQ(&getTarget(target.id), &target) << chip;
    std::string suffix = target.suffix == TargetSuffix::Base     ? ""
                         : target.suffix == TargetSuffix::Family ? "f"
                                                                 : "a";
    EXPECT_EQ(chip, "sm_" + std::to_string(10 * target.capability.major + target.capability.minor) + suffix);
    EXPECT_EQ(target.triple.str(), "nvptx64-nvidia-cuda");
    EXPECT_THAT(target.ptxFeature.str(), testing::AnyOf("+ptx88", "+ptx90"));
    EXPECT_LE(target.minPTXVersion, std::stoi(target.ptxFeature.drop_front(4).str())) << chip;
    EXPECT_EQ(target.maxStaticSharedMemory, 48 * 1024);
    EXPECT_GE(target.maxSharedMemoryPerBlock, target.maxStaticSharedMemory);
    EXPECT_EQ(target.maxSharedMemoryPerBlock + target.reservedSharedMemoryPerBlock,
              target.sharedMemoryPerMultiprocessor);
    EXPECT_EQ(target.reservedSharedMemoryPerBlock, target.capability.major < 8 ? 0 : 1024) << chip;
    EXPECT_EQ(target.maxThreadsPerMultiprocessor % target.warpSize, 0);
    EXPECT_EQ(target.warpSize, 32);
    EXPECT_EQ(target.maxThreadsPerBlock, 1024);
    EXPECT_EQ(target.maxRegistersPerThread, 255);
    EXPECT_EQ(target.registersPerMultiprocessor, 65536);
    EXPECT_EQ(target.maxClusterSize, target.capability.major < 9 ? 1 : 8) << chip;
    EXPECT_EQ(target.tensorMemoryColumns != 0, target.capability.major == 10 || target.capability.major == 11)
        << chip;
  }
}

// The values of cuda/__device/arch_traits.h of the CUDA C++ core libraries.
TEST(TargetInfo, limitsMatchTheVendorsHeader) {
  struct Limits {
    const char *chip;
    int64_t block;
    int threads;
    int blocks;
  };
  const Limits limits[] = {
      {"sm_70", 98304, 2048, 32},    {"sm_75", 65536, 1024, 16},    {"sm_80", 166912, 2048, 32},
      {"sm_86", 101376, 1536, 16},   {"sm_87", 166912, 1536, 16},   {"sm_89", 101376, 1536, 24},
      {"sm_90a", 232448, 2048, 32},  {"sm_100a", 232448, 2048, 32}, {"sm_103a", 232448, 2048, 32},
      {"sm_110a", 232448, 1536, 24}, {"sm_120a", 101376, 1536, 24}, {"sm_121", 101376, 1536, 24}};
  for (const Limits &limit : limits) {
    const TargetInfo *target = lookupTarget(limit.chip);
    ASSERT_TRUE(target) << limit.chip;
    EXPECT_EQ(target->maxSharedMemoryPerBlock, limit.block) << limit.chip;
    EXPECT_EQ(target->maxThreadsPerMultiprocessor, limit.threads) << limit.chip;
    EXPECT_EQ(target->maxBlocksPerMultiprocessor, limit.blocks) << limit.chip;
  }
}

TEST(TargetInfo, lookupAcceptsEverySpelling) {
  for (const TargetInfo &target : allTargets()) {
    std::string number = target.chip.drop_front(3).str();
    for (const char *prefix : {"sm_", "sm", "nvgpu_sm", "nvgpu/sm", "nvgpu_sm_", "nvgpu/sm_"})
      EXPECT_EQ(lookupTarget(prefix + number), &target) << prefix << number;
  }
}

TEST(TargetInfo, lookupRefusesOtherNames) {
  for (const char *name : {"", "sm", "sm_", "nvgpu", "nvgpu/", "nvgpusm90", "90a", "sm_90b", "SM_90",
                           "sm_90 ", "sm__90", "sm_90af", "sm_91", "compute_90", "gfx942", "sm_9"})
    EXPECT_EQ(lookupTarget(name), nullptr) << name;
}

TEST(TargetInfo, lookupByDevicePrefersTheExactChip) {
  EXPECT_EQ(lookupTarget(ComputeCapability{9, 0})->chip, "sm_90a");
  EXPECT_EQ(lookupTarget(ComputeCapability{10, 3})->chip, "sm_103a");
  EXPECT_EQ(lookupTarget(ComputeCapability{8, 9})->chip, "sm_89");
  EXPECT_EQ(lookupTarget(ComputeCapability{9, 9}), nullptr);
}

TEST(TargetInfo, unknownNamesGetASuggestion) {
  EXPECT_EQ(suggestTarget("sm_90b"), "sm_90");
  EXPECT_EQ(suggestTarget("sm_85"), "sm_75");
  EXPECT_EQ(suggestTarget("90a"), "sm_90a");
  EXPECT_EQ(suggestTarget("gfx942"), "");
  EXPECT_EQ(describeUnknownTarget("sm_91"), "expected a known chip, but got 'sm_91'; did you mean 'sm_90'?");
  EXPECT_THAT(describeUnknownTarget("gfx942"), testing::HasSubstr("known are sm_70, sm_75, sm_80"));
}
