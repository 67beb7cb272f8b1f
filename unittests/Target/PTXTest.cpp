//===- PTXTest.cpp - tests of the way to PTX
//----------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the PTX of small kernels for each chip, its options, and its errors. That the assembler takes it is
// tested by CubinTest.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tilus/TargetInfo/TargetInfo.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;
using testing::HasSubstr;
using testing::Not;

using PTXTest = TargetTest;

TEST_F(PTXTest, everyChipGetsItsTargetAndVersion) {
  for (const TargetInfo &target : allTargets()) {
    std::string ptx = translate(scaleKernel, target.chip);
    EXPECT_THAT(ptx, HasSubstr(".target " + target.chip.str() + "\n")) << diagnostics;
    // "+ptx88" is ".version 8.8".
    std::string version = target.ptxFeature.drop_front(4).str();
    EXPECT_THAT(ptx, HasSubstr(".version " + version.substr(0, 1) + "." + version.substr(1) + "\n"));
    EXPECT_THAT(ptx, HasSubstr(".visible .entry scale("));
    EXPECT_THAT(ptx, HasSubstr(".maxntid 128"));
  }
  EXPECT_EQ(diagnostics, "");
}

TEST_F(PTXTest, otherSpellingsOfAChipMeanTheSame) {
  EXPECT_EQ(translate(scaleKernel, "nvgpu_sm90a"), translate(scaleKernel, "sm_90a"));
}

TEST_F(PTXTest, outputIsTheSameEachTime) {
  std::string text = substitute(sharedKernel, "SIZE", "128");
  std::string first = translate(text, "sm_90a");
  EXPECT_NE(first, "");
  EXPECT_EQ(translate(text, "sm_90a"), first);
}

TEST_F(PTXTest, versionCanBeChosen) {
  PTXOptions options;
  options.chip = "sm_80";
  options.features = "+ptx71";
  EXPECT_THAT(translate(scaleKernel, options), HasSubstr(".version 7.1\n"));
}

TEST_F(PTXTest, flushOfSubnormalsShowsInTheCode) {
  PTXOptions options;
  options.chip = "sm_80";
  EXPECT_THAT(translate(scaleKernel, options), Not(HasSubstr("ftz")));
  options.flushSubnormals = true;
  EXPECT_THAT(translate(scaleKernel, options), HasSubstr(".ftz.f32"));
}

TEST_F(PTXTest, fastMathMakesDivisionApproximate) {
  std::string text = substitute(sharedKernel, "SIZE", "128");
  PTXOptions options;
  options.chip = "sm_80";
  EXPECT_THAT(translate(text, options), HasSubstr("div.rn.f32"));
  options.fastMath = true;
  std::string ptx = translate(text, options);
  EXPECT_THAT(ptx, HasSubstr(".approx.ftz.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("div.rn")));
}

TEST_F(PTXTest, optimizationLevelsAreApplied) {
  PTXOptions options;
  options.chip = "sm_80";
  for (int level = 0; level <= 3; ++level) {
    options.optLevel = level;
    EXPECT_NE(translate(scaleKernel, options), "") << level << ": " << diagnostics;
  }
  options.optLevel = 4;
  EXPECT_EQ(translate(scaleKernel, options), "");
  EXPECT_THAT(diagnostics, HasSubstr("expected an optimization level from 0 to 3, but got 4"));
}

TEST_F(PTXTest, libdeviceIsLinkedWhenCalled) {
  for (int level : {0, 3}) {
    PTXOptions options;
    options.chip = "sm_90a";
    options.optLevel = level;
    std::string ptx = translate(substitute(libdeviceKernel, "FUNCTION", "__nv_sinf"), options);
    EXPECT_THAT(ptx, HasSubstr(".entry math(")) << diagnostics;
    EXPECT_THAT(ptx, Not(HasSubstr(".extern")));
    EXPECT_THAT(ptx, Not(HasSubstr(".visible .func")));
    // Of its several hundred functions only those that sinf needs are here.
    EXPECT_THAT(ptx, Not(HasSubstr("__nv_expf")));
  }
  EXPECT_EQ(diagnostics, "");
}

TEST_F(PTXTest, libdeviceSeesTheFlushOfSubnormals) {
  PTXOptions options;
  options.chip = "sm_80";
  std::string text = substitute(libdeviceKernel, "FUNCTION", "__nv_expf");
  EXPECT_THAT(translate(text, options), HasSubstr("fma.rn.f32"));
  options.flushSubnormals = true;
  std::string ptx = translate(text, options);
  EXPECT_THAT(ptx, HasSubstr("fma.rn.ftz.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma.rn.f32")));
}

TEST_F(PTXTest, libdeviceIsNotAskedForWhenNotCalled) {
  PTXOptions options;
  options.chip = "sm_80";
  options.toolkit.useDefaults = false;
  EXPECT_NE(translate(scaleKernel, options), "");
  EXPECT_EQ(diagnostics, "");
}

TEST_F(PTXTest, missingLibdeviceIsOneErrorWithItsPlaces) {
  PTXOptions options;
  options.chip = "sm_80";
  options.toolkit.useDefaults = false;
  options.toolkit.roots = {"/nowhere/cuda"};
  options.toolkit.sitePackages = {"/nowhere/site"};
  EXPECT_EQ(translate(substitute(libdeviceKernel, "FUNCTION", "__nv_sinf"), options), "");
  EXPECT_EQ(
      diagnostics,
      "expected to find libdevice.10.bc, but it is in none of: /nowhere/cuda/nvvm/libdevice, "
      "/nowhere/site/nvidia/cu13/nvvm/libdevice, /nowhere/site/nvidia/cuda_nvcc/nvvm/libdevice; it is needed "
      "for '__nv_sinf'\n");
}

TEST_F(PTXTest, unknownFunctionOfLibdeviceIsAnError) {
  EXPECT_EQ(translate(substitute(libdeviceKernel, "FUNCTION", "__nv_sinus"), "sm_80"), "");
  EXPECT_THAT(diagnostics, HasSubstr("expected '__nv_sinus' to be a function of libdevice"));
}

TEST_F(PTXTest, fileThatIsNotBitcodeIsAnError) {
  PTXOptions options;
  options.chip = "sm_80";
  llvm::SmallString<128> path;
  int file = -1;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("not-bitcode", "bc", file, path));
  llvm::raw_fd_ostream(file, /*shouldClose=*/true) << "not bitcode";
  options.toolkit.paths = {path.str().str()};
  EXPECT_EQ(translate(substitute(libdeviceKernel, "FUNCTION", "__nv_sinf"), options), "");
  EXPECT_THAT(diagnostics, HasSubstr("expected LLVM bitcode in '" + path.str().str() + "'"));
  llvm::sys::fs::remove(path);
}

TEST_F(PTXTest, wrongTargetsAreErrors) {
  EXPECT_EQ(translate(scaleKernel, "sm_91"), "");
  EXPECT_EQ(diagnostics, "expected a known chip, but got 'sm_91'; did you mean 'sm_90'?\n");
  diagnostics.clear();
  PTXOptions options;
  options.chip = "sm_80";
  options.triple = "x86_64-linux-gnu";
  EXPECT_EQ(translate(scaleKernel, options), "");
  EXPECT_EQ(diagnostics, "expected an NVPTX triple, but got 'x86_64-linux-gnu'\n");
}

TEST_F(PTXTest, opsOfOtherDialectsAreErrors) {
  EXPECT_EQ(translate(R"(
gpu.module @other {
  gpu.func @other() kernel { gpu.return }
})",
                      "sm_80"),
            "");
  EXPECT_NE(diagnostics, "");
}

TEST_F(PTXTest, moduleIsAcceptedAsWell) {
  parse(R"(
llvm.func @empty() attributes {nvvm.kernel} { llvm.return }
)");
  PTXOptions options;
  options.chip = "sm_80";
  mlir::FailureOr<std::string> ptx = translateToPTX(*module, options);
  ASSERT_TRUE(mlir::succeeded(ptx)) << diagnostics;
  EXPECT_THAT(*ptx, HasSubstr(".entry empty("));
}

TEST_F(PTXTest, llvmIRIsWhatTheCodeIsGeneratedFrom) {
  PTXOptions options;
  options.chip = "sm_90a";
  mlir::FailureOr<std::string> ir = translateToLLVMIR(parse(scaleKernel), options);
  ASSERT_TRUE(mlir::succeeded(ir)) << diagnostics;
  EXPECT_THAT(*ir, HasSubstr("target triple = \"nvptx64-nvidia-cuda\""));
  EXPECT_THAT(*ir, HasSubstr("define ptx_kernel void @scale("));
}

// Tensor memory is there on families and exact chips of 10.x and 11.0; with the PTX version of each row the
// back end can select its instructions.
TEST_F(PTXTest, tensorMemoryIsSelectedWhereTheFeatureIs) {
  for (const TargetInfo &target : allTargets()) {
    if (!target.hasFeature(Feature::Tcgen05))
      continue;
    std::string ptx = translate(R"(
gpu.module @tmem {
  llvm.func @tmem(%p: !llvm.ptr<3>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    nvvm.tcgen05.alloc %p, %n : !llvm.ptr<3>, i32
    llvm.return
  }
})",
                                target.chip);
    EXPECT_THAT(ptx, HasSubstr("tcgen05.alloc")) << target.chip.str() << diagnostics;
  }
}
