//===- CubinProcessTest.cpp - tests of assembly in odd processes
//-----------------------------------------------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests assembly where the ends of children are ignored, and in a child of a process whose other threads were
// assembling.
//
//===---------------------------------------------------------------------------------------------------===//

#include "Kernels.h"
#include "Tilus/Target/Cubin/Cubin.h"
#include <atomic>
#include <csignal>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace tilus;

namespace {
class CubinProcessTest : public TargetTest {
protected:
  void SetUp() override {
    ToolkitPaths paths;
    for (ToolkitFile file : {ToolkitFile::Ptxas, ToolkitFile::NvJitLink})
      if (findToolkitFile(file, paths).path.empty())
        GTEST_SKIP() << getToolkitFileName(file).str() << " is not installed";
    ptx = translate(scaleKernel, "sm_90a");
  }
  /// "" or the failure's text.
  std::string assembleWith(Assembler assembler, llvm::StringRef text) {
    CubinOptions options;
    options.assembler = assembler;
    llvm::Expected<Cubin> cubin = assemble(text, "sm_90a", options);
    return cubin ? "" : llvm::toString(cubin.takeError());
  }

  std::string ptx;
};
} // namespace

TEST_F(CubinProcessTest, ptxasWorksWhereTheEndsOfChildrenAreIgnored) {
  auto former = std::signal(SIGCHLD, SIG_IGN);
  EXPECT_EQ(assembleWith(Assembler::Ptxas, ptx), "");
  std::string error = assembleWith(Assembler::Ptxas, substitute(ptx, "ld.global", "ld.globe"));
  std::signal(SIGCHLD, former);
  EXPECT_THAT(error, testing::HasSubstr("expected PTX that assembles for sm_90a, but ptxas"));
  EXPECT_THAT(error, testing::HasSubstr("'.globe'"));
}

TEST_F(CubinProcessTest, childOfABusyProcessAssemblesOrRefuses) {
  std::atomic<bool> isOver{false};
  std::atomic<int> rounds{0};
  std::thread busy([&] {
    for (; !isOver; ++rounds)
      EXPECT_EQ(assembleWith(Assembler::NvJitLink, ptx), "");
  });
  while (rounds == 0)
    std::this_thread::yield();
  int refusals = 0;
  for (int i = 0; i < 6; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60);
      if (assembleWith(Assembler::Auto, ptx) != "")
        _exit(1);
      std::string error = assembleWith(Assembler::NvJitLink, ptx);
      _exit(error.empty()                                                            ? 0
            : llvm::StringRef(error).contains("was forked while a thread was in it") ? 2
                                                                                     : 3);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 2)) << status;
    refusals += WIFEXITED(status) && WEXITSTATUS(status) == 2;
  }
  isOver = true;
  busy.join();
  // The thread is in the library nearly all the time.
  EXPECT_GT(refusals, 0);
}
