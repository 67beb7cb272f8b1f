//===- CubinTest.cpp - tests of assembly
//-----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests both assemblers on the PTX of every chip, their determinism, their errors, and what is read back.
// Tests that need an assembler are skipped, and say so, where the toolkit is not installed.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Tilus/Target/Cubin/Cubin.h"
#include "Kernels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"

using namespace tilus;
using testing::HasSubstr;

namespace {
/// Runs each test with each assembler.
class AssemblerTest : public TargetTest, public testing::WithParamInterface<Assembler> {
protected:
  void SetUp() override {
    options.assembler = GetParam();
    ToolkitFile file = GetParam() == Assembler::Ptxas ? ToolkitFile::Ptxas : ToolkitFile::NvJitLink;
    if (findToolkitFile(file, options.toolkit).path.empty())
      GTEST_SKIP() << getToolkitFileName(file).str() << " is not installed";
  }

  /// The cubin of the text for the chip; the failure's text goes to `error`.
  Cubin compile(llvm::StringRef text, llvm::StringRef chip) {
    return assembleText(translate(text, chip), chip);
  }

  Cubin assembleText(llvm::StringRef ptx, llvm::StringRef chip) {
    error.clear();
    llvm::Expected<Cubin> cubin = assemble(ptx, chip, options);
    if (cubin)
      return std::move(*cubin);
    error = llvm::toString(cubin.takeError());
    return Cubin();
  }

  CubinOptions options;
  std::string error;
};
} // namespace

using CubinTest = TargetTest;

TEST_P(AssemblerTest, everyChipOfTheToolkitGetsItsCubin) {
  for (const TargetInfo &target : allTargets()) {
    if (target.id == Chip::sm_70)
      continue;
    Cubin cubin = compile(scaleKernel, target.chip);
    ASSERT_NE(cubin.bytes, "") << target.chip.str() << ": " << error << diagnostics;
    EXPECT_EQ(cubin.assembler, GetParam());
    // The number in the ELF header, read here at the offset that the format gives it.
    EXPECT_EQ(static_cast<uint8_t>(cubin.bytes[49]), 10 * target.capability.major + target.capability.minor);
    ASSERT_EQ(cubin.kernels.size(), 1u) << cubin.log;
    EXPECT_EQ(cubin.kernels[0].kernel, "scale");
    EXPECT_GT(cubin.kernels[0].registers, 0);
    EXPECT_THAT(cubin.log, HasSubstr("for '" + target.chip.str() + "'"));
  }
}

TEST_P(AssemblerTest, chipThatTheToolkitDroppedIsNamed) {
  compile(scaleKernel, "sm_70");
  EXPECT_THAT(
      error, testing::MatchesRegex("expected an assembler that knows sm_70, but .* does not; emit PTX alone, "
                                   "without a cubin, for it"));
}

TEST_P(AssemblerTest, badPTXGivesTheLog) {
  std::string ptx = substitute(translate(scaleKernel, "sm_80"), "ld.global", "ld.globe");
  assembleText(ptx, "sm_80");
  EXPECT_THAT(error, HasSubstr("expected PTX that assembles for sm_80"));
  EXPECT_THAT(error, HasSubstr("Unknown modifier '.globe'"));
  EXPECT_THAT(error, HasSubstr("line "));
}

TEST_P(AssemblerTest, tooMuchSharedMemoryGivesTheLog) {
  compile(substitute(sharedKernel, "SIZE", "20000"), "sm_80");
  EXPECT_THAT(error, HasSubstr("uses too much shared data (0x13880 bytes, 0xc000 max)"));
}

TEST_P(AssemblerTest, resourcesAreReadFromTheLog) {
  Cubin cubin = compile(substitute(sharedKernel, "SIZE", "512"), "sm_90a");
  ASSERT_EQ(cubin.kernels.size(), 1u) << error;
  EXPECT_EQ(cubin.kernels[0].sharedBytes, 2048);
  EXPECT_EQ(cubin.kernels[0].barriers, 1);
  EXPECT_EQ(cubin.kernels[0].spillStoreBytes, 0);
}

TEST_P(AssemblerTest, sameBytesEachTimeAndNoPaths) {
  std::string ptx = translate(scaleKernel, "sm_90a");
  for (bool lineInfo : {false, true}) {
    options.lineInfo = lineInfo;
    Cubin first = assembleText(ptx, "sm_90a");
    Cubin second = assembleText(ptx, "sm_90a");
    EXPECT_NE(first.bytes, "") << error;
    EXPECT_TRUE(first.bytes == second.bytes);
    EXPECT_EQ(first.log, second.log);
    EXPECT_EQ(first.bytes.find("/tmp"), std::string::npos);
    EXPECT_EQ(first.log.find("/tmp"), std::string::npos);
  }
}

TEST_P(AssemblerTest, optimizationLevelsAreApplied) {
  std::string ptx = translate(scaleKernel, "sm_80");
  for (options.optLevel = 0; options.optLevel <= 3; ++options.optLevel)
    EXPECT_NE(assembleText(ptx, "sm_80").bytes, "") << options.optLevel << ": " << error;
  assembleText(ptx, "sm_80");
  EXPECT_EQ(error, "expected an optimization level from 0 to 3, but got 4");
}

TEST_P(AssemblerTest, registersCanBeLimited) {
  std::string text = substitute(libdeviceKernel, "FUNCTION", "__nv_tgammaf");
  options.maxRegisters = 256;
  compile(text, "sm_80");
  EXPECT_EQ(error, "expected at most 255 registers, but got 256");
  options.maxRegisters = 0;
  Cubin free = compile(text, "sm_80");
  ASSERT_EQ(free.kernels.size(), 1u) << error;
  EXPECT_GT(free.kernels[0].registers, 16);
  options.maxRegisters = 16;
  Cubin cubin = compile(text, "sm_80");
  ASSERT_EQ(cubin.kernels.size(), 1u) << error;
  EXPECT_LE(cubin.kernels[0].registers, 16);
  // Where the PTX says how many threads a block has, too.
  cubin = compile(substitute(text, "nvvm.kernel}", "nvvm.kernel, nvvm.reqntid = array<i32: 128>}"), "sm_80");
  ASSERT_EQ(cubin.kernels.size(), 1u) << error;
  EXPECT_LE(cubin.kernels[0].registers, 16);
}

// A copy of the file under a folder with a blank, and a temporary folder with one.
TEST_P(AssemblerTest, pathsMayHaveBlanks) {
  ToolkitFile file = GetParam() == Assembler::Ptxas ? ToolkitFile::Ptxas : ToolkitFile::NvJitLink;
  llvm::SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("tilus test", folder));
  std::string original = findToolkitFile(file, options.toolkit).path;
  llvm::SmallString<128> resolved;
  ASSERT_FALSE(llvm::sys::fs::real_path(original, resolved));
  std::string link = (folder + "/" + (file == ToolkitFile::Ptxas ? "ptxas" : "libnvJitLink.so.13")).str();
  ASSERT_FALSE(llvm::sys::fs::create_link(resolved, link));
  ASSERT_EQ(setenv("TMPDIR", folder.c_str(), 1), 0);

  options.toolkit.paths = {folder.str().str()};
  options.toolkit.useDefaults = false;
  Cubin cubin = compile(scaleKernel, "sm_80");
  EXPECT_NE(cubin.bytes, "") << error;

  unsetenv("TMPDIR");
  std::error_code code;
  int left = 0;
  for (llvm::sys::fs::directory_iterator it(folder, code), end; it != end && !code; it.increment(code))
    ++left;
  EXPECT_EQ(left, 1) << "the temporary folder of the run is still there";
  llvm::sys::fs::remove_directories(folder);
}

TEST_P(AssemblerTest, missingToolIsAnErrorWithItsPlaces) {
  options.toolkit.useDefaults = false;
  options.toolkit.roots = {"/nowhere"};
  compile(scaleKernel, "sm_80");
  EXPECT_EQ(error,
            GetParam() == Assembler::Ptxas
                ? "expected to find ptxas, but it is in none of: /nowhere/bin"
                : "expected to find libnvJitLink.so, but it is in none of: /nowhere/lib64, /nowhere/lib, "
                  "/nowhere/targets/x86_64-linux/lib");
}

INSTANTIATE_TEST_SUITE_P(Both, AssemblerTest, testing::Values(Assembler::NvJitLink, Assembler::Ptxas),
                         [](const testing::TestParamInfo<Assembler> &info) {
                           return info.param == Assembler::Ptxas ? "ptxas" : "nvJitLink";
                         });

TEST_F(CubinTest, autoNamesBothWhenNeitherIsThere) {
  CubinOptions options;
  options.toolkit.useDefaults = false;
  llvm::Expected<Cubin> cubin = assemble(translate(scaleKernel, "sm_80"), "sm_80", options);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(llvm::toString(cubin.takeError()), "expected to find libnvJitLink.so, but there is no place to "
                                               "look in; and expected to find ptxas, but there "
                                               "is no place to look in");
}

// nvJitLink ignores setmaxnreg, so that Auto leaves such a kernel to ptxas; which in turn wants to know the
// number of blocks per multiprocessor, from which it has the registers at entry.
TEST_F(CubinTest, autoTakesPtxasForSetmaxnreg) {
  CubinOptions options;
  if (findToolkitFile(ToolkitFile::Ptxas, options.toolkit).path.empty() ||
      findToolkitFile(ToolkitFile::NvJitLink, options.toolkit).path.empty())
    GTEST_SKIP() << "both assemblers are needed";
  std::string text = substitute(scaleKernel, "nvvm.maxntid", "nvvm.minctasm = 1 : i32, nvvm.maxntid");
  text = substitute(text, "128", "384");
  text = substitute(text, "%two = llvm", "nvvm.setmaxregister increase 232\n %two = llvm");
  std::string ptx = translate(text, "sm_90a");
  llvm::Expected<Cubin> cubin = assemble(ptx, "sm_90a", options);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->assembler, Assembler::Ptxas);
  EXPECT_THAT(cubin->log, testing::Not(HasSubstr("'setmaxnreg' ignored")));

  options.assembler = Assembler::NvJitLink;
  cubin = assemble(ptx, "sm_90a", options);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_THAT(cubin->log, HasSubstr("'setmaxnreg' ignored"));

  options.assembler = Assembler::Auto;
  cubin = assemble(translate(scaleKernel, "sm_90a"), "sm_90a", options);
  ASSERT_TRUE(static_cast<bool>(cubin)) << llvm::toString(cubin.takeError());
  EXPECT_EQ(cubin->assembler, Assembler::NvJitLink);
}

// A file that is named is meant: another assembler in its place would be a surprise.
TEST_F(CubinTest, namedLibraryThatIsNotThereIsAnError) {
  CubinOptions options;
  options.toolkit.files[static_cast<size_t>(ToolkitFile::NvJitLink)] = "/nowhere/nvjitlink.so";
  llvm::Expected<Cubin> cubin = assemble(translate(scaleKernel, "sm_90a"), "sm_90a", options);
  ASSERT_FALSE(cubin);
  EXPECT_EQ(llvm::toString(cubin.takeError()),
            "expected to find libnvJitLink.so, but it is in none of: /nowhere/nvjitlink.so");
}

TEST_F(CubinTest, unknownChipIsAnError) {
  llvm::Expected<Cubin> cubin = assemble("", "sm_90b", CubinOptions());
  ASSERT_FALSE(cubin);
  EXPECT_EQ(llvm::toString(cubin.takeError()),
            "expected a known chip, but got 'sm_90b'; did you mean 'sm_90'?");
}

TEST_F(CubinTest, otherImagesAreNoCubins) {
  auto read = [](llvm::StringRef bytes) {
    llvm::Expected<ComputeCapability> capability = readCubinCapability(bytes);
    return capability ? std::string() : llvm::toString(capability.takeError());
  };
  EXPECT_EQ(read(""), "expected a cubin, but got data that are not a 64-bit ELF image");
  EXPECT_EQ(read(std::string(64, 'x')), "expected a cubin, but got data that are not a 64-bit ELF image");
  std::string elf = std::string("\177ELF\2\1\1", 7) + std::string(57, '\0');
  elf[18] = 62;
  EXPECT_EQ(read(elf), "expected a cubin, but got an ELF image of machine 62");
  EXPECT_NE(read(elf.substr(0, 63)), "");
}

// Both forms of the header: the capability in the first byte of the flags up to version 7 of the ABI.
TEST_F(CubinTest, bothFormsOfTheHeaderAreRead) {
  std::string elf = std::string("\177ELF\2\1\1\63\7", 9) + std::string(55, '\0');
  elf[18] = static_cast<char>(190);
  elf[48] = 86;
  elf[49] = 5;
  llvm::Expected<ComputeCapability> old = readCubinCapability(elf);
  ASSERT_TRUE(static_cast<bool>(old));
  EXPECT_EQ(old->str(), "8.6");
  elf[8] = 8;
  elf[49] = 121;
  llvm::Expected<ComputeCapability> recent = readCubinCapability(elf);
  ASSERT_TRUE(static_cast<bool>(recent));
  EXPECT_EQ(recent->str(), "12.1");
}

TEST_F(CubinTest, logOfSeveralKernelsIsSorted) {
  std::vector<KernelResources> kernels = parseResources(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'zeta' for 'sm_90a'
ptxas info    : Function properties for zeta
    40 bytes stack frame, 36 bytes spill stores, 32 bytes spill loads
ptxas info    : Used 24 registers, used 2 barriers, 40 bytes cumulative stack size, 2048 bytes smem, 16 bytes cmem[0]
ptxas info    : Function properties for helper
    8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads
ptxas info    : Compiling entry function 'alpha' for 'sm_90a'
ptxas info    : Function properties for alpha
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].kernel, "alpha");
  EXPECT_EQ(kernels[0].registers, 255);
  EXPECT_EQ(kernels[0].sharedBytes, 0);
  EXPECT_EQ(kernels[1].kernel, "zeta");
  EXPECT_EQ(kernels[1].registers, 24);
  EXPECT_EQ(kernels[1].barriers, 2);
  EXPECT_EQ(kernels[1].stackBytes, 40);
  EXPECT_EQ(kernels[1].spillStoreBytes, 36);
  EXPECT_EQ(kernels[1].spillLoadBytes, 32);
  EXPECT_EQ(kernels[1].sharedBytes, 2048);
}
