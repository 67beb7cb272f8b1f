//===- LibdeviceTest.cpp - tests of the linking of libdevice
//-------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests when libdevice is linked, what comes in, and the errors of its search.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace tilus;
using testing::HasSubstr;
using testing::Not;

using LibdeviceTest = TargetTest;

TEST_F(LibdeviceTest, libdeviceIsLinkedWhenCalled) {
  if (findToolkitFile(ToolkitFile::Libdevice, ToolkitPaths()).path.empty())
    GTEST_SKIP() << "libdevice is not installed";
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

TEST_F(LibdeviceTest, libdeviceSeesTheFlushOfSubnormals) {
  if (findToolkitFile(ToolkitFile::Libdevice, ToolkitPaths()).path.empty())
    GTEST_SKIP() << "libdevice is not installed";
  PTXOptions options;
  options.chip = "sm_80";
  std::string text = substitute(libdeviceKernel, "FUNCTION", "__nv_expf");
  EXPECT_THAT(translate(text, options), HasSubstr("fma.rn.f32"));
  options.flushSubnormals = true;
  std::string ptx = translate(text, options);
  EXPECT_THAT(ptx, HasSubstr("fma.rn.ftz.f32"));
  EXPECT_THAT(ptx, Not(HasSubstr("fma.rn.f32")));
}

TEST_F(LibdeviceTest, libdeviceIsNotAskedForWhenNotCalled) {
  PTXOptions options;
  options.chip = "sm_80";
  options.toolkit.useDefaults = false;
  EXPECT_NE(translate(scaleKernel, options), "");
  EXPECT_EQ(diagnostics, "");
}

TEST_F(LibdeviceTest, missingLibdeviceIsOneErrorWithItsPlaces) {
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

TEST_F(LibdeviceTest, unknownFunctionOfLibdeviceIsAnError) {
  if (findToolkitFile(ToolkitFile::Libdevice, ToolkitPaths()).path.empty())
    GTEST_SKIP() << "libdevice is not installed";
  EXPECT_EQ(translate(substitute(libdeviceKernel, "FUNCTION", "__nv_sinus"), "sm_80"), "");
  EXPECT_THAT(diagnostics, HasSubstr("expected '__nv_sinus' to be a function of libdevice"));
}

TEST_F(LibdeviceTest, fileThatIsNotBitcodeIsAnError) {
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

TEST(ToolkitPathsTest, namedFileIsForItsKindAlone) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("my-assembler", "", path));
  ToolkitPaths paths;
  paths.useDefaults = false;
  paths.files[static_cast<size_t>(ToolkitFile::Ptxas)] = path.str().str();
  EXPECT_EQ(findToolkitFile(ToolkitFile::Ptxas, paths).path, path.str().str());
  EXPECT_EQ(findToolkitFile(ToolkitFile::Libdevice, paths).path, "");
  llvm::sys::fs::remove(path);
  ToolkitSearch search = findToolkitFile(ToolkitFile::Ptxas, paths);
  EXPECT_EQ(describeMissing(ToolkitFile::Ptxas, search),
            "expected to find ptxas, but it is in none of: " + path.str().str());
}
