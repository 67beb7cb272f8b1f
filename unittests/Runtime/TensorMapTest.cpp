// Tests of tensor maps against the fake driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "DispatcherFixture.h"
#include "Tilus/Runtime/Launcher.h"

#include "gmock/gmock.h"
#include <cstring>

using namespace tilus;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// `copy(x: pointer to f16, rows: i32, columns: i32)` that sees x as a matrix of rows, in boxes of 8 x 64.
KernelArtifact makeArtifact() {
  KernelArtifact artifact;
  artifact.entry = "copy";
  artifact.chip = "sm_90a";
  const char image[] = "fake copy 32 0 0 8 4 4 128";
  artifact.cubin.assign(image, image + sizeof(image));
  artifact.blockThreads = 128;
  artifact.params = {{"x", KernelParam::Kind::Pointer, ScalarFormat::getF16(), 16},
                     {"rows", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 1},
                     {"columns", KernelParam::Kind::Scalar, ScalarFormat::getInt(32), 1}};
  artifact.grid[0] = llvm::cantFail(GridExpr::parse("p1", 3));
  KernelTensorMap map;
  map.shape = {llvm::cantFail(GridExpr::parse("p2", 3)), llvm::cantFail(GridExpr::parse("p1", 3))};
  map.strides = {llvm::cantFail(GridExpr::parse("p2 2 mul", 3))};
  map.box = {64, 8};
  map.elementStrides = {1, 1};
  map.element = TensorElement::Float16;
  map.swizzle = TensorSwizzle::Span128;
  map.promotion = TensorPromotion::Bytes256;
  artifact.tensorMaps = {map};
  return artifact;
}

class TensorMapTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    device = llvm::cantFail(Device::open(*driver, 0));
    onLaunch("copy", read);
    load(makeArtifact());
  }
  void TearDown() override {
    kernel.reset();
    device.reset();
    FakeDriverTest::TearDown();
  }
  void load(const KernelArtifact &artifact) {
    auto shared = std::make_shared<const KernelArtifact>(artifact);
    kernel = llvm::cantFail(LoadedKernel::load(*device, shared));
    arguments = std::make_unique<LaunchArguments>(shared);
  }
  std::string run(uint64_t address, int64_t rows, int64_t columns) {
    llvm::cantFail(arguments->setPointer(0, address));
    llvm::cantFail(arguments->setInteger(1, rows));
    llvm::cantFail(arguments->setInteger(2, columns));
    return message(launch(*kernel, *arguments));
  }
  int countEncodings() {
    int count = 0;
    std::string text = log();
    for (size_t at = 0; (at = text.find("cuTensorMapEncodeTiled", at)) != std::string::npos; ++at)
      ++count;
    return count;
  }

  struct Reader {
    FakeTensorMap seen = {};
    void operator()(FakeLaunch &launch) { std::memcpy(&seen, launch.params[3], sizeof(seen)); }
  };
  Reader read;
  std::unique_ptr<Device> device;
  std::unique_ptr<LoadedKernel> kernel;
  std::unique_ptr<LaunchArguments> arguments;
};

} // namespace

TEST_F(TensorMapTest, TheDescriptorFollowsTheParameters) {
  EXPECT_EQ(run(0x10000, 100, 512), "no error");
  const FakeTensorMap &map = read.seen;
  EXPECT_EQ(map.address, 0x10000u);
  EXPECT_THAT(map.shape, ElementsAre(512, 100, 0, 0, 0));
  EXPECT_THAT(map.strides, ElementsAre(1024, 0, 0, 0, 0));
  EXPECT_THAT(map.box, ElementsAre(64, 8, 0, 0, 0));
  EXPECT_THAT(map.elementStrides, ElementsAre(1, 1, 0, 0, 0));
  EXPECT_EQ(map.rank, 2);
  EXPECT_EQ(map.element, 6);
  EXPECT_EQ(map.swizzle, 3);
  EXPECT_EQ(map.promotion, 3);
  EXPECT_EQ(map.fill, 0);
}

TEST_F(TensorMapTest, IsMadeAnewOnlyWhereSomethingChanged) {
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(run(0x10000, 100, 512), "no error");
  EXPECT_EQ(countEncodings(), 1);
  EXPECT_EQ(run(0x20000, 100, 512), "no error");
  EXPECT_EQ(read.seen.address, 0x20000u);
  EXPECT_EQ(run(0x20000, 101, 512), "no error");
  EXPECT_EQ(read.seen.shape[1], 101u);
  EXPECT_EQ(run(0x20000, 101, 520), "no error");
  EXPECT_EQ(read.seen.strides[0], 1040u);
  EXPECT_EQ(countEncodings(), 4);
  // The last ones are kept.
  EXPECT_EQ(run(0x10000, 100, 512), "no error");
  EXPECT_EQ(read.seen.address, 0x10000u);
  EXPECT_EQ(run(0x20000, 100, 512), "no error");
  EXPECT_EQ(read.seen.address, 0x20000u);
  EXPECT_EQ(countEncodings(), 4);
}

TEST_F(TensorMapTest, AnOffsetIsAdded) {
  KernelArtifact artifact = makeArtifact();
  artifact.tensorMaps[0].byteOffset = llvm::cantFail(GridExpr::parse("p2 32 mul", 3));
  load(artifact);
  EXPECT_EQ(run(0x10000, 100, 512), "no error");
  EXPECT_EQ(read.seen.address, 0x14000u);
}

TEST_F(TensorMapTest, RefusalsAreInWords) {
  EXPECT_EQ(
      run(0x10000, 100, 500),
      "expected a multiple of 16 below 2^40 bytes from one element to the next along dimension 1 for the "
      "tensor at parameter 'x' of kernel 'copy', but got 1000");
  EXPECT_EQ(
      run(0x10000, 100, 0),
      "expected a multiple of 1 from 1 to 2^32 elements along dimension 0 for the tensor at parameter 'x' "
      "of kernel 'copy', but got 0");
  EXPECT_EQ(run(0, 100, 512),
            "expected an address aligned to 16 bytes for the tensor at parameter 'x' of kernel "
            "'copy', but got 0x0");
  EXPECT_EQ(countEncodings(), 0);
  fail("cuTensorMapEncodeTiled", 1, 1);
  EXPECT_THAT(run(0x10000, 100, 512),
              HasSubstr("expected 'cuTensorMapEncodeTiled' to succeed for the tensor at "
                        "parameter 'x' of kernel 'copy'"));
  // What failed is not kept; an empty grid needs none.
  EXPECT_EQ(run(0x10000, 100, 512), "no error");
  EXPECT_EQ(countEncodings(), 1);
  EXPECT_EQ(run(0x30000, 0, 512), "no error");
  EXPECT_EQ(countEncodings(), 1);
}

//===----------------------------------------------------------------------===//
// In a dispatcher
//===----------------------------------------------------------------------===//

/// Two kernels of one dispatcher: with the constant 1 one with a tensor map, else one without.
TEST_F(DispatcherTest, CallsPassDescriptors) {
  DispatcherOptions options;
  options.compile = [](const CompileRequest &request) {
    Candidate candidate = makeCandidate(request.target, getEntry(request));
    if (request.args[0].getInt() == 1) {
      auto artifact = std::make_shared<KernelArtifact>(*candidate.artifact);
      artifact->cubin.pop_back();
      for (char letter : std::string(" 128"))
        artifact->cubin.push_back(letter);
      artifact->cubin.push_back(0);
      artifact->tensorMaps = makeArtifact().tensorMaps;
      artifact->tensorMaps[0].param = 2;
      artifact->tensorMaps[0].shape = {GridExpr::constant(64), llvm::cantFail(GridExpr::parse("p0", 3))};
      artifact->tensorMaps[0].strides = {GridExpr::constant(128)};
      candidate.artifact = artifact;
    }
    return llvm::Expected<std::vector<Candidate>>(std::vector<Candidate>{candidate});
  };
  make(std::move(options));
  std::vector<uint64_t> seen;
  auto read = [&](FakeLaunch &launch) {
    FakeTensorMap map;
    std::memcpy(&map, launch.params[3], sizeof(map));
    seen.push_back(map.address + map.shape[1]);
  };
  onLaunch("scale_sm_90a_1", read);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(launch(makeArgs(100, 1, 0x1000)), "no error");
    EXPECT_EQ(launch(makeArgs(100, 1, 0x1000)), "no error");
    EXPECT_EQ(launch(makeArgs(100, 2, 0x1000)), "no error");
    EXPECT_EQ(launch(makeArgs(101, 1, 0x2000)), "no error");
    EXPECT_EQ(launch(makeArgs(0, 1, 0x2000)), "no error");
  }
  EXPECT_THAT(seen, ElementsAre(0x1064, 0x1064, 0x2065, 0x1064, 0x1064, 0x2065));
  EXPECT_THAT(launch(makeArgs(100, 1, 0)),
              HasSubstr("expected an address aligned to 16 bytes for the tensor"));
}
