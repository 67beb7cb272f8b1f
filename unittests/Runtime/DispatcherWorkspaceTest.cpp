// Tests of the workspaces of dispatched kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"

#include "gmock/gmock.h"
#include <cstring>

using namespace tilus;

namespace {
/// A kernel whose two workspaces, a clean one and another, are n bytes each; the addresses of its launches.
class DispatcherWorkspaceTest : public DispatcherDeviceTest {
protected:
  struct Launch {
    unsigned char *clean, *dirty;
    int n;
  };
  struct Kernel {
    std::vector<Launch> launches;
    bool isClean = true;

    void operator()(FakeLaunch &launch) {
      Launch seen;
      std::memcpy(&seen.n, launch.params[0], sizeof(int));
      std::memcpy(&seen.clean, launch.params[3], sizeof(void *));
      std::memcpy(&seen.dirty, launch.params[4], sizeof(void *));
      launches.push_back(seen);
      for (int i = 0; i < seen.n; ++i) {
        isClean &= seen.clean[i] == 0;
        seen.dirty[i] = 7;
      }
    }
  };

  void SetUp() override {
    DispatcherDeviceTest::SetUp();
    DispatcherOptions options;
    options.workspaces = pool = std::make_shared<WorkspacePool>();
    options.compile = [](const CompileRequest &request) -> llvm::Expected<std::vector<Candidate>> {
      KernelArtifact artifact = *makeCandidate(request.target, "work").artifact;
      std::string image = "fake work 32 0 0 4 4 8 8 8 chip=" + artifact.chip;
      artifact.cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
      GridExpr bytes = llvm::cantFail(GridExpr::parse("p0", 3));
      artifact.workspaces = {{bytes, true}, {bytes, false}};
      return std::vector<Candidate>{{std::make_shared<const KernelArtifact>(artifact), "", ""}};
    };
    make(std::move(options));
    onLaunch("work", kernel);
  }
  void TearDown() override {
    dispatcher.reset();
    pool.reset();
    DispatcherDeviceTest::TearDown();
  }

  std::shared_ptr<WorkspacePool> pool;
  Kernel kernel;
};
} // namespace

TEST_F(DispatcherWorkspaceTest, LaunchesOfAStreamShareThem) {
  for (int n : {100, 100, 200, 100})
    EXPECT_EQ(launch(makeArgs(n)), "no error");
  ASSERT_EQ(kernel.launches.size(), 4u);
  for (const Launch &each : kernel.launches) {
    EXPECT_EQ(each.clean, kernel.launches[0].clean);
    EXPECT_EQ(each.dirty, kernel.launches[0].dirty);
  }
  EXPECT_NE(kernel.launches[0].clean, kernel.launches[0].dirty);
  EXPECT_EQ(pool->getBytes(), 512u);
  EXPECT_EQ(launch(makeArgs(300)), "no error");
  EXPECT_NE(kernel.launches[4].clean, kernel.launches[0].clean);
  EXPECT_EQ(pool->getBytes(), 512u + 1024u);
  EXPECT_TRUE(kernel.isClean);
}

TEST_F(DispatcherWorkspaceTest, StreamsHaveTheirOwn) {
  cuda::StreamHandle first = makeStream(), second = makeStream();
  for (cuda::StreamHandle stream : {first, second, first, first})
    EXPECT_EQ(launch(makeArgs(100), nullptr, stream), "no error");
  EXPECT_NE(kernel.launches[0].dirty, kernel.launches[1].dirty);
  EXPECT_EQ(kernel.launches[0].dirty, kernel.launches[2].dirty);
  EXPECT_EQ(kernel.launches[0].dirty, kernel.launches[3].dirty);
  // Another stream is no reason to look into the table.
  EXPECT_EQ(stats(target("sm_90a")).shortcutHits, 3u);
}

TEST_F(DispatcherWorkspaceTest, EachCaptureHasItsOwn) {
  cuda::StreamHandle stream = makeStream();
  EXPECT_EQ(launch(makeArgs(100), nullptr, stream), "no error");
  for (int capture = 0; capture < 2; ++capture) {
    beginCapture(stream);
    EXPECT_EQ(launch(makeArgs(100), nullptr, stream), "no error");
    EXPECT_EQ(launch(makeArgs(100), nullptr, stream), "no error");
    EXPECT_EQ(endCapture(stream, /*isLaunched=*/true), 0);
  }
  EXPECT_EQ(launch(makeArgs(100), nullptr, stream), "no error");
  std::vector<unsigned char *> seen;
  for (const Launch &each : kernel.launches)
    seen.push_back(each.dirty);
  ASSERT_EQ(seen.size(), 6u);
  EXPECT_EQ(seen[1], seen[2]);
  EXPECT_EQ(seen[3], seen[4]);
  EXPECT_EQ(seen[0], seen[5]);
  EXPECT_EQ(std::set<unsigned char *>(seen.begin(), seen.end()).size(), 3u);
  EXPECT_TRUE(kernel.isClean);
}

TEST_F(DispatcherWorkspaceTest, ExhaustedMemoryIsReported) {
  fail("cuMemAlloc_v2", 1, 2);
  EXPECT_THAT(launch(makeArgs(100)),
              testing::HasSubstr("expected 'cuMemAlloc_v2' to succeed for a buffer of 256"));
  EXPECT_EQ(launch(makeArgs(100)), "no error");
}
