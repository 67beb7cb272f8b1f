// Tests of the memory in which candidates run, against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/EventTimer.h"
#include "TunerFixture.h"

#include <thread>

using namespace tilus;

TEST_F(TunerTest, EveryLaunchSeesTheSameMemory) {
  std::vector<int32_t> seen;
  auto code = [&](FakeLaunch &launch) { seen.push_back((**static_cast<int32_t **>(launch.params[0]))++); };
  Addition unused;
  add("a", unused);
  onLaunch("a", code);
  run();
  EXPECT_EQ(seen, std::vector<int32_t>(8, 0));
}

TEST_F(TunerTest, FindsTheMemoryBehindBarePointers) {
  Addition code;
  add("a", code);
  // The extent is not known, and the address lies within the allocation.
  llvm::cantFail(tune(*device, candidates, {{x->getAddress() + 64, 0}, {4, 0}}, options));
  EXPECT_EQ(getSum(), 0);
  EXPECT_EQ(reinterpret_cast<uint64_t>(code.addresses[0]) % 256, (x->getAddress() + 64) % 256);
  EXPECT_EQ(message(tune(*device, candidates, {{16, 0}, {4, 0}}, options)),
            "expected device memory behind parameter 'x' that can be copied for tuning, but got the address "
            "0x10 of no allocation");
}

/// An integer that is an address, and two parameters that point to one buffer.
TEST_F(TunerTest, AliasesStayAliases) {
  Addition code;
  add("a", code);
  std::vector<uint64_t> first, second;
  auto write = [&](FakeLaunch &launch) {
    first.push_back(*static_cast<uint64_t *>(launch.params[0]));
    second.push_back(*static_cast<uint64_t *>(launch.params[1]));
    *reinterpret_cast<int32_t *>(second.back()) = 77;
  };
  onLaunch("a", write);
  llvm::cantFail(tune(*device, candidates, {{x->getAddress(), 400}, {x->getAddress() + 32, 0}}, options));
  EXPECT_EQ(getSum(), 0);
  EXPECT_NE(first[0], x->getAddress());
  EXPECT_EQ(second[0] - first[0], 32u);
}

TEST_F(TunerTest, CleanWorkspacesMustStayClean) {
  Addition good{1, 5}, dirty{1, 1};
  add("good", good);
  add("dirty", dirty);
  for (Candidate &candidate : candidates) {
    auto artifact = std::make_shared<KernelArtifact>(*candidate.artifact);
    artifact->workspaces.push_back({GridExpr::constant(64), true});
    std::string image = "fake " + artifact->entry + " 32 0 0 8 8 8";
    artifact->cubin.assign(image.c_str(), image.c_str() + image.size() + 1);
    candidate.artifact = artifact;
  }
  auto soil = [&](FakeLaunch &launch) {
    dirty(launch);
    **static_cast<char **>(launch.params[2]) = 1;
  };
  onLaunch("dirty", soil);
  TuneReport report = run();
  EXPECT_EQ(getBest(report), "hash of good");
  EXPECT_EQ(report.outcomes[1].reason,
            "expected zeros in workspace 0 after a launch, but got something else");
}

/// A capture of another thread stays valid while candidates are measured, loaded and compared.
TEST_F(TunerTest, CapturesOfOtherThreadsStayValid) {
  Addition code;
  add("a", code);
  add("b", code);
  Stream stream = llvm::cantFail(Stream::create(*device));
  auto begin = call<int (*)(cuda::StreamHandle, cuda::CaptureMode)>("cuStreamBeginCapture_v2");
  auto end = call<int (*)(cuda::StreamHandle, cuda::GraphHandle *)>("cuStreamEndCapture");
  auto scope = llvm::cantFail(device->enter());
  EXPECT_EQ(begin(stream.getHandle(), cuda::captureGlobal), 0);
  std::thread other([&] { EXPECT_EQ(run().best, 0u); });
  other.join();
  cuda::CaptureStatus status;
  EXPECT_EQ((*driver)->streamIsCapturing(stream.getHandle(), &status), 0);
  EXPECT_EQ(status, cuda::captureActive);
  // Without that, an allocation beside it makes it invalid.
  std::thread third([&] { EXPECT_NE(message(DeviceBuffer::allocate(*device, 4)), "no error"); });
  third.join();
  cuda::GraphHandle graph = nullptr;
  EXPECT_EQ(end(stream.getHandle(), &graph), 901);
}
