// Tests of the memory in which candidates run, against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tilus/Runtime/EventTimer.h"
#include "TunerFixture.h"

#include "llvm/ADT/STLExtras.h"

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

namespace {
/// Candidates on a buffer that is read in several pieces.
class TunerPiecesTest : public TunerTest {
protected:
  static constexpr uint64_t bytes = (uint64_t(20) << 20) + 12;

  void SetUp() override {
    TunerTest::SetUp();
    large = std::make_unique<DeviceBuffer>(llvm::cantFail(DeviceBuffer::allocate(*device, bytes)));
    llvm::cantFail(large->fill(0));
    options.warmUp = options.repeat = 1;
  }
  void TearDown() override {
    large.reset();
    TunerTest::TearDown();
  }
  /// A kernel that writes a number to elements.
  struct Store {
    int32_t value;
    std::vector<uint64_t> places;

    void operator()(FakeLaunch &launch) {
      for (uint64_t place : places)
        (*static_cast<int32_t **>(launch.params[0]))[place] = value;
    }
  };
  TuneReport run(std::vector<Store> stores) {
    candidates.clear();
    Addition unused;
    for (auto [index, store] : llvm::enumerate(stores)) {
      std::string name = "store" + std::to_string(index);
      add(name.c_str(), unused);
      onLaunch(name.c_str(), store);
    }
    return llvm::cantFail(tune(*device, candidates, {{large->getAddress(), bytes}, {count, 0}}, options));
  }

  std::unique_ptr<DeviceBuffer> large;
};
} // namespace

/// The first and the last element, and both sides of the ends of pieces.
TEST_F(TunerPiecesTest, ADifferenceIsFoundInEachPiece) {
  constexpr uint64_t last = bytes / 4 - 1, piece = 2 << 20;
  for (uint64_t place : {uint64_t(0), piece - 1, piece, 2 * piece - 1, 2 * piece, last}) {
    TuneReport report =
        run({{7, {5, 3 * piece / 2}}, {7, {5, 3 * piece / 2}}, {7, {5, 3 * piece / 2, place}}});
    EXPECT_EQ(report.outcomes[0].reason + report.outcomes[1].reason, "");
    EXPECT_EQ(report.outcomes[2].reason,
              "expected the results of 'store0' and 1 others, but got a difference: 'x': element " +
                  std::to_string(place) + " is 7, not 0");
  }
}

/// More contents than are kept.
TEST_F(TunerPiecesTest, EqualResultsAgreeHoweverManyDiffer) {
  std::vector<Store> stores;
  for (int i = 0; i < 8; ++i)
    stores.push_back({1 + i, {5}});
  stores.push_back({8, {5}});
  TuneReport report = run(stores);
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(report.outcomes[i].reason.empty(), i >= 7) << i;
}

/// One copy of each region before all, and a page-locked one a candidate, however often it is launched.
TEST_F(TunerPiecesTest, RegionsAreReadOncePerCandidate) {
  auto copied = call<decltype(&fakeCudaBytesToHost)>("fakeCudaBytesToHost");
  options.repeat = 10;
  run({{1, {5}}, {1, {5}}, {1, {5}}});
  EXPECT_EQ(copied(false), bytes);
  EXPECT_EQ(copied(true), 3 * bytes);
}

/// Without page-locked memory, nothing is measured and nothing is left.
TEST_F(TunerPiecesTest, PageLockedMemoryThatIsRefused) {
  for (int call : {1, 2}) {
    fail("cuMemAllocHost_v2", call, 2);
    Addition unused;
    add("a", unused);
    EXPECT_EQ(message(tune(*device, candidates, {{x->getAddress(), 400}, {count, 0}}, options)),
              "expected 'cuMemAllocHost_v2' to succeed for 8388608 bytes that device 0 'Fake GPU 0' (compute "
              "capability 9.0) copies to, but got CUDA_ERROR_OUT_OF_MEMORY (2): out of memory");
    EXPECT_EQ(unused.launches, 0);
  }
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
